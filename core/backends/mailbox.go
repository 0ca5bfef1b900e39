package backends

import (
	"cmp"
	"context"
	"html"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
)

// MailboxDeps has the dependencies of a Mailbox.
type MailboxDeps struct {
	Store storage.Store
	Queue *mailer.Queue
	// Address returns the URL of a published project.
	Address projects.Address
	// Allowance is how many mails a day are sent of live data.
	Allowance mailer.Allowance
	Now       func() time.Time
}

// Mailbox is the backend.Post of the service: it takes the mails to end users. Those of
// live data go into the service's queue. Those of test data are stored for the project's
// members and never sent.
type Mailbox struct{ deps MailboxDeps }

var _ backend.Post = (*Mailbox)(nil)

// NewMailbox returns a mailbox over the ports.
func NewMailbox(deps MailboxDeps) *Mailbox { return &Mailbox{deps} }

// Send implements backend.Post.
func (m *Mailbox) Send(ctx context.Context, place backend.Place, mail backend.Mail) error {
	if place.Copy != "" {
		return nil // a copy is attacked, and nobody is told
	}
	if place.Env == core.DataLive {
		return m.queue(ctx, place.Project, mail)
	}
	return m.keep(ctx, place.Project, mail)
}

// queue queues a mail to a user of a published site.
func (m *Mailbox) queue(ctx context.Context, id core.ID, mail backend.Mail) error {
	project, err := m.deps.Store.Tables().Projects.ByID(ctx, id)
	if err != nil {
		return err
	}
	address := m.deps.Address.Of(project)
	if address == nil {
		return core.Errorf(core.CodeConflict, "the site is not published")
	}
	_, err = m.deps.Store.Tables().Takedowns.Of(ctx, id)
	if err == nil {
		return core.Errorf(core.CodeConflict, "the site is taken down, so it sends no mails")
	}
	if !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	to, err := core.NormalEmail(mail.To)
	if err != nil {
		return err
	}
	filled := fill(mail, project.Name, *address)
	err = m.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		owners, err := provenOwners(ctx, tables, project.WorkspaceID)
		if err != nil {
			return err
		}
		return m.deps.Queue.Application(ctx, tables, mailer.ApplicationMail{
			Project: id, Workspace: project.WorkspaceID, Owners: owners, Name: valid(project.Name), Address: *address,
			To: to, Subject: valid(filled.Subject), Text: valid(filled.Text), HTML: valid(filled.HTML),
		}, m.deps.Allowance)
	})
	if err == nil {
		m.deps.Queue.Wake()
	}
	return err
}

// provenOwners returns the owners of a workspace who have proven their addresses.
func provenOwners(ctx context.Context, tables storage.Tables, workspace core.ID) ([]core.ID, error) {
	members, err := tables.Members.List(ctx, workspace)
	if err != nil {
		return nil, err
	}
	var proven []core.ID
	for _, member := range members {
		if member.Role != core.RoleOwner {
			continue
		}
		user, err := tables.Users.ByID(ctx, member.UserID)
		if err != nil {
			return nil, err
		}
		if user.EmailVerified {
			proven = append(proven, user.ID)
		}
	}
	return proven, nil
}

// keep stores a mail to a user of the test data. Its links have no host, because they lead
// to the preview, whose address changes.
func (m *Mailbox) keep(ctx context.Context, id core.ID, mail backend.Mail) error {
	project, err := m.deps.Store.Tables().Projects.ByID(ctx, id)
	if err != nil {
		return err
	}
	mail = fill(mail, project.Name, "")
	return m.deps.Store.Tables().TestMails.Add(ctx, core.TestMail{
		ID: core.NewID(), ProjectID: id, CreatedAt: core.At(m.deps.Now()),
		To: storable(mail.To), Subject: storable(mail.Subject), Text: storable(cmp.Or(mail.Text, mail.HTML)),
	})
}

// fill puts the name and the address of the application into a mail.
func fill(mail backend.Mail, name, address string) backend.Mail {
	plain := strings.NewReplacer(backend.AddressPlaceholder, address, backend.NamePlaceholder, name)
	markup := strings.NewReplacer(backend.AddressPlaceholder, address, backend.NamePlaceholder, html.EscapeString(name))
	return backend.Mail{To: mail.To, Subject: plain.Replace(mail.Subject), Text: plain.Replace(mail.Text), HTML: markup.Replace(mail.HTML)}
}

// valid makes a text from a project's templates fit for the database.
func valid(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
}

// storable makes a text valid and cuts it to the stored length.
func storable(text string) string {
	text = valid(text)
	if len(text) > core.MaxTestMailBytes {
		text = strings.ToValidUTF8(text[:core.MaxTestMailBytes], "")
	}
	return text
}

// Mails returns the mails to end users of the test data, newest first.
func (s *Records) Mails(ctx context.Context, by core.Actor, project core.ID) ([]core.TestMail, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendRead, project); err != nil {
		return nil, err
	}
	return s.deps.Store.Tables().TestMails.List(ctx, project)
}
