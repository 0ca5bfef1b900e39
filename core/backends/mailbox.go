package backends

import (
	"context"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
)

// MailboxDeps is what a Mailbox works with.
type MailboxDeps struct {
	Store storage.Store
	Now   func() time.Time
}

// Mailbox is the backend.Post of the service: it takes the mails that end users are sent. Those
// of test data are kept for the project's members and never sent.
type Mailbox struct{ deps MailboxDeps }

var _ backend.Post = (*Mailbox)(nil)

// NewMailbox returns a mailbox over the ports.
func NewMailbox(deps MailboxDeps) *Mailbox { return &Mailbox{deps} }

// Send implements backend.Post.
func (m *Mailbox) Send(ctx context.Context, place backend.Place, mail backend.Mail) error {
	if place.Copy != "" {
		return nil // a copy is attacked, and nobody is told
	}
	if place.Env != core.DataTest {
		return core.Errorf(core.CodeUnavailable, "mails to the users of a published site are not sent yet")
	}
	text := mail.Text
	if text == "" {
		text = mail.HTML
	}
	return m.deps.Store.Tables().TestMails.Add(ctx, core.TestMail{
		ID: core.NewID(), ProjectID: place.Project, CreatedAt: core.At(m.deps.Now()),
		To: storable(mail.To), Subject: storable(mail.Subject), Text: storable(text),
	})
}

// storable makes a text of a project's own templates fit for the database.
func storable(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if len(text) > core.MaxTestMailBytes {
		text = strings.ToValidUTF8(text[:core.MaxTestMailBytes], "")
	}
	return text
}

// Mails returns the mails that end users of the test data were sent, the newest first.
func (s *Records) Mails(ctx context.Context, by core.Actor, project core.ID) ([]core.TestMail, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendRead, project); err != nil {
		return nil, err
	}
	return s.deps.Store.Tables().TestMails.List(ctx, project)
}
