package mailer

import (
	"context"
	"encoding/json"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

// Queue is the durable queue of mails that a Worker sends. Many goroutines may use it.
type Queue struct {
	sealer identity.Sealer
	now    func() time.Time
	wake   ctxsync.Signal
}

// New returns the queue. The content of a mail is sealed until it is sent.
func New(sealer identity.Sealer, now func() time.Time) *Queue {
	return &Queue{sealer: sealer, now: now, wake: ctxsync.NewSignal()}
}

// Invitation invites somebody into a workspace.
type Invitation struct {
	// To is a normal address (core.NormalEmail).
	To string
	// Workspace and InvitedBy are names for people; "" leaves them out. The mail also
	// leaves out names that contain an address.
	Workspace, InvitedBy string
	// Sender is the inviter's own verified address; "" leaves it out.
	Sender string
	Role   core.Role
	// Language is that of the mail, "" for English.
	Language core.Language
	// Token is the invite's secret; the mail has the only copy.
	Token     string
	ExpiresAt core.Time
}

// Invite stores the mail of an invitation in the caller's transaction. After the
// commit, the caller may call Wake to send it at once.
func (q *Queue) Invite(ctx context.Context, tables storage.Tables, invitation Invitation) error {
	return q.store(ctx, tables, letter{Kind: letterInvite, To: invitation.To, Invitation: &invitation})
}

// InstanceInvite is Invite for an invitation to the installation, which has no workspace and no
// role.
func (q *Queue) InstanceInvite(ctx context.Context, tables storage.Tables, invitation Invitation) error {
	return q.store(ctx, tables, letter{Kind: letterInstanceInvite, To: invitation.To, Invitation: &invitation})
}

// PasswordReset stores a mail that lets the holder of an address set a new password.
// email is a normal address (core.NormalEmail). Whether it has an account is only
// checked when the mail is sent, so that storing it reveals nothing. asked is the language
// of the mail for an account that has said none.
func (q *Queue) PasswordReset(ctx context.Context, tables storage.Tables, email string, asked core.Language) error {
	return q.store(ctx, tables, letter{Kind: letterPasswordReset, To: email, Language: asked})
}

// ApplicationMail is a mail of a project's application to one of its end users. The
// application wrote it, so its texts are untrusted.
type ApplicationMail struct {
	Project, Workspace core.ID
	// Owners are those of the workspace with a proven address. Without any, no mail is sent.
	Owners []core.ID
	// Name is the application's, and Address that of its site.
	Name, Address string
	// To is a normal address (core.NormalEmail).
	To, Subject, Text, HTML string
}

// MaxApplicationMailBytes bounds each text of an ApplicationMail, in bytes of UTF-8.
const MaxApplicationMailBytes = 256 << 10

// Application stores a mail of an application in the caller's transaction, and counts
// it: beyond the limits of the day it returns core.CodeRateLimited, with the time until
// the next. A text that is too long has code core.CodePayloadTooLarge, and a mail without
// an owner who can be reached core.CodeEmailUnverified. allowance is that of the installation.
func (q *Queue) Application(ctx context.Context, tables storage.Tables, mail ApplicationMail, allowance Allowance) error {
	if len(mail.Owners) == 0 {
		return core.Errorf(core.CodeEmailUnverified, "this application sends no mails yet: an owner of its workspace has to prove their e-mail address first, with the link in the mail that the account page sends")
	}
	if max(len(mail.Subject), len(mail.Text), len(mail.HTML)) > MaxApplicationMailBytes {
		return core.Errorf(core.CodePayloadTooLarge, "a mail may have %d KiB", MaxApplicationMailBytes>>10)
	}
	if err := q.checkApplication(ctx, tables, mail, allowance); err != nil {
		return err
	}
	return q.store(ctx, tables, letter{Kind: letterApplication, To: mail.To, Application: &mail})
}

// Wake makes the worker of this process check the queue at once. It never waits.
func (q *Queue) Wake() { q.wake.Send() }

// letter is the content of a job until its mail is written.
type letter struct {
	Kind        letterKind       `json:"kind"`
	To          string           `json:"to"`
	Language    core.Language    `json:"language,omitempty"`
	Invitation  *Invitation      `json:"invitation,omitempty"`
	Application *ApplicationMail `json:"application,omitempty"`
	Proof       *Proof           `json:"proof,omitempty"`
	Notice      *Notice          `json:"notice,omitempty"`
	Webhook     *DisabledWebhook `json:"webhook,omitempty"`
	Comment     *CommentReply    `json:"comment,omitempty"`
}

type letterKind string

const (
	letterInvite         letterKind = "invite"
	letterInstanceInvite letterKind = "instance_invite"
	letterPasswordReset  letterKind = "password_reset"
	letterApplication    letterKind = "application"
	letterProof          letterKind = "proof"
	letterNotice         letterKind = "notice"
	letterWebhook        letterKind = "webhook"
	letterComment        letterKind = "comment"
)

func (q *Queue) store(ctx context.Context, tables storage.Tables, mail letter) error {
	content, err := json.Marshal(mail)
	if err != nil {
		return core.Wrap(core.CodeInternal, err, "the mail cannot be stored")
	}
	id := core.NewID()
	sealed, err := q.sealer.Seal(content, place(id))
	if err != nil {
		return err
	}
	now := core.At(q.now())
	return tables.Mails.Create(ctx, core.MailJob{ID: id, Sealed: sealed, DueAt: now, CreatedAt: now})
}

func (q *Queue) open(job core.MailJob) (mail letter, err error) {
	content, err := q.sealer.Open(job.Sealed, place(job.ID))
	if err != nil {
		return letter{}, err
	}
	if err := json.Unmarshal(content, &mail); err != nil {
		return letter{}, core.Wrap(core.CodeInternal, err, "the mail cannot be read")
	}
	return mail, nil
}

func place(id core.ID) string { return "mail " + string(id) }
