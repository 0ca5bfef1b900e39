package memory_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/mail/mailtest"
)

type mailbox struct{ *memory.Mailbox }

func (m mailbox) Sender(*testing.T) mail.Sender { return m.Mailbox }

func (m mailbox) Received(*testing.T) []mail.Message { return m.Sent() }

func (m mailbox) Break(*testing.T) {
	m.SetFailure(core.Errorf(core.CodeUnavailable, "the post is closed"))
}

func TestMailbox(t *testing.T) {
	mailtest.Run(t, func(*testing.T) mailtest.Harness { return mailbox{memory.NewMailbox()} })
}

func TestAMailboxAwaitsWhatArrives(t *testing.T) {
	box := memory.NewMailbox()
	go func() {
		for i := range 3 {
			to := fmt.Sprintf("p%d@example.com", i%2)
			_ = box.Send(t.Context(), mail.Message{To: to, Subject: "s", ID: string(core.NewID())})
		}
	}()
	mails, err := box.Await(t.Context(), "p0@example.com", 2)
	if err != nil || len(mails) != 2 || mails[1].To != "p0@example.com" {
		t.Fatalf("got %v, %v, want both mails to p0", mails, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if mails, err := box.Await(ended, "p0@example.com", 3); err == nil || len(mails) != 2 {
		t.Fatalf("got %v, %v, want the context's error", mails, err)
	}
}

func TestAMailboxKeepsTheNewest(t *testing.T) {
	box := memory.NewMailbox()
	for i := range 1002 {
		if err := box.Send(t.Context(), mail.Message{To: "ada@example.com", Subject: fmt.Sprint(i), ID: string(core.NewID())}); err != nil {
			t.Fatal(err)
		}
	}
	if sent := box.Sent(); len(sent) != 1000 || sent[0].Subject != "2" {
		t.Fatalf("got %d mails from %s on, want the newest 1000", len(sent), sent[0].Subject)
	}
}
