package backends_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/backend"
)

// confirmation is a mail as an engine hands it over.
var confirmation = backend.Mail{
	To: "Anna@Example.com", Subject: "Confirm\r\nyour " + backend.NamePlaceholder + " address", Text: "Open " + backend.AddressPlaceholder + "/_data/@confirm/verification#t",
	HTML: `<a href="` + backend.AddressPlaceholder + `/_data/@confirm/verification#t">Confirm ` + backend.NamePlaceholder + `</a>`,
}

func TestMailsOfTestDataAreKeptAndNeverSent(t *testing.T) {
	h := newHouse(t)
	h.must(h.mailbox.Send(t.Context(), backend.Place{Project: h.project, Env: core.DataTest}, confirmation))
	h.must(h.mailbox.Send(t.Context(), backend.Place{Project: h.project, Env: core.DataTest, Copy: core.NewID()}, confirmation))
	mails, err := h.Mails(t.Context(), h.member, h.project)
	if err != nil || len(mails) != 1 || mails[0].Text != "Open /_data/@confirm/verification#t" || mails[0].Subject != "Confirm\r\nyour Tea & <Cake> address" {
		t.Errorf("got %v, %v, want one mail with a link into the preview", mails, err)
	}
	_, err = h.Mails(t.Context(), h.nobody, h.project)
	h.wantCode(err, core.CodeNotFound)
	far := core.At(time.Now().Add(time.Hour))
	_, err = h.store.Tables().Mails.Claim(t.Context(), far, far)
	h.wantCode(err, core.CodeNotFound) // the queue is empty
}

func TestMailsOfLiveDataAreSentFromThePublishedSite(t *testing.T) {
	h := newHouse(t)
	live := backend.Place{Project: h.project, Env: core.DataLive}
	h.wantCode(h.mailbox.Send(t.Context(), live, confirmation), core.CodeConflict)
	h.goLive("shop")
	h.must(h.mailbox.Send(t.Context(), live, confirmation))
	box := memory.NewMailbox()
	worker := mailer.NewWorker(mailer.Deps{Queue: h.queue, Store: h.store, Sender: box, Audit: h.audit, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	worker.Start()
	t.Cleanup(func() { h.must(worker.Close(context.WithoutCancel(t.Context()))) })
	sent, err := box.Await(t.Context(), "anna@example.com", 1)
	if err != nil || sent[0].To != "anna@example.com" || sent[0].Subject != "Confirm your Tea & <Cake> address" || sent[0].Application != "Tea & <Cake>" ||
		!strings.HasPrefix(sent[0].Text, "Open https://shop.sites.test/_data/@confirm/verification#t\n--\nSent by Tea & <Cake> (https://shop.sites.test)") ||
		!strings.HasPrefix(sent[0].HTML, `<a href="https://shop.sites.test/_data/@confirm/verification#t">Confirm Tea &amp; &lt;Cake&gt;</a>`) ||
		!strings.Contains(sent[0].HTML, `Sent by Tea &amp; &lt;Cake&gt; (<a href="https://shop.sites.test">`) {
		t.Errorf("got %+v, want the mail with links to the site, and who sent it", sent)
	}
	h.wantCode(h.mailbox.Send(t.Context(), live, backend.Mail{To: "nobody", Text: "x"}), core.CodeValidationFailed)
	h.must(h.store.Tables().Takedowns.Create(t.Context(), core.Takedown{ProjectID: h.project, Slug: "shop", Reason: "It asks for passwords.", TakenBy: core.NewID()}))
	h.wantCode(h.mailbox.Send(t.Context(), live, confirmation), core.CodeConflict)
	h.must(h.mailbox.Send(t.Context(), backend.Place{Project: h.project, Env: core.DataTest}, confirmation)) // its members repair it
}

func TestAnApplicationSendsSoManyMailsADay(t *testing.T) {
	h := newHouse(t)
	h.goLive("shop")
	live := backend.Place{Project: h.project, Env: core.DataLive}
	for range mailer.MaxDailyRecipient {
		h.must(h.mailbox.Send(t.Context(), live, confirmation))
	}
	h.wantCode(h.mailbox.Send(t.Context(), live, confirmation), core.CodeRateLimited)
	other := confirmation
	other.To = "ben@example.com"
	h.must(h.mailbox.Send(t.Context(), live, other))
}

// TestNoMailIsSentForWhoCannotBeReached has owners without a proven address.
func TestNoMailIsSentForWhoCannotBeReached(t *testing.T) {
	h := newHouse(t)
	h.goLive("shop")
	live := backend.Place{Project: h.project, Env: core.DataLive}
	prove := func(isProven bool) {
		_, err := h.store.Tables().Users.Update(t.Context(), h.owner, func(u *core.User) error { u.EmailVerified = isProven; return nil })
		h.must(err)
	}
	prove(false)
	err := h.mailbox.Send(t.Context(), live, confirmation)
	h.wantCode(err, core.CodeEmailUnverified)
	if !strings.Contains(err.Error(), "an owner of its workspace has to prove their e-mail address") {
		t.Errorf("got %v, want what to do", err)
	}
	h.must(h.mailbox.Send(t.Context(), backend.Place{Project: h.project, Env: core.DataTest}, confirmation))
	prove(true)
	h.must(h.mailbox.Send(t.Context(), live, confirmation))
}

// goLive makes the project a published one.
func (h *house) goLive(slug string) {
	h.t.Helper()
	_, err := h.store.Tables().Projects.Update(h.t.Context(), h.project, func(p *core.Project) error {
		p.PublishedSlug = &slug
		return nil
	})
	h.must(err)
}
