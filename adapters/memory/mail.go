package memory

import (
	"context"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
)

// maxMails is how many mails a Mailbox keeps, the newest ones.
const maxMails = 1000

// Mailbox is a mail.Sender that stores mails, so that a test can read them.
type Mailbox struct {
	mu      sync.Mutex
	sent    []mail.Message
	failure error
	arrived chan struct{}
}

var _ mail.Sender = (*Mailbox)(nil)

// NewMailbox returns an empty mailbox.
func NewMailbox() *Mailbox { return &Mailbox{arrived: make(chan struct{})} }

// Send implements mail.Sender.
func (m *Mailbox) Send(ctx context.Context, message mail.Message) error {
	if err := message.Check(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the mail was not sent in time")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failure != nil {
		return m.failure
	}
	m.sent = append(m.sent, message)
	if len(m.sent) > maxMails {
		m.sent = slices.Clone(m.sent[1:])
	}
	close(m.arrived)
	m.arrived = make(chan struct{})
	return nil
}

// Check implements mail.Sender.
func (m *Mailbox) Check(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the mailbox could not be read in time")
	}
	if core.IsCode(m.failure, core.CodeUnavailable) {
		return m.failure
	}
	return nil
}

// SetFailure makes every following Send fail with err, whose code must be one that
// mail.Sender names. nil lets Send succeed again.
func (m *Mailbox) SetFailure(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failure = err
}

// Sent returns what was sent, the oldest first.
func (m *Mailbox) Sent() []mail.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.sent)
}

// Await waits until at least n mails were sent to an address and returns all of them, the
// oldest first. It returns ctx's error if ctx ends first.
func (m *Mailbox) Await(ctx context.Context, to string, n int) ([]mail.Message, error) {
	for {
		m.mu.Lock()
		mails, arrived := m.to(to), m.arrived
		m.mu.Unlock()
		if len(mails) >= n {
			return mails, nil
		}
		select {
		case <-ctx.Done():
			return mails, ctx.Err()
		case <-arrived:
		}
	}
}

func (m *Mailbox) to(address string) []mail.Message {
	return slices.DeleteFunc(slices.Clone(m.sent), func(message mail.Message) bool { return message.To != address })
}
