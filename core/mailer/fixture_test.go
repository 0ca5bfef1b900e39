package mailer

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/storage"
)

const origin = "https://atelier.example"

// office is a queue, its store, and workers over memory adapters.
type office struct {
	t      *testing.T
	store  storage.Store
	sealer *memory.Sealer
	queue  *Queue
	box    *memory.Mailbox
	log    *conformance.Log
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, store: memory.NewStore(), sealer: memory.NewSealer(), box: memory.NewMailbox(), log: &conformance.Log{}}
	o.queue = New(o.sealer, time.Now)
	return o
}

// inOffice runs a test on a clock that runs ahead.
func inOffice(t *testing.T, test func(*testing.T, *office)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newOffice(t)) })
}

// worker returns the worker of a process, which sends through sender.
func (o *office) worker(sender mail.Sender) *Worker {
	log := slog.New(slog.NewTextHandler(o.log, nil))
	return NewWorker(Deps{
		Queue: o.queue, Store: o.store, Sender: sender, Origin: origin, Log: log, Now: time.Now,
		Audit: audit.New(audit.Deps{Store: o.store, Gate: access.NewGate(o.store), Now: time.Now, Log: log}),
	})
}

// start lets a worker work until the test ends.
func (o *office) start(sender mail.Sender) *Worker {
	w := o.worker(sender)
	w.Start()
	o.t.Cleanup(func() { _ = w.Close(context.Background()) })
	return w
}

// user makes an account.
func (o *office) user(email string) core.User {
	o.t.Helper()
	user := core.User{ID: core.NewID(), Email: email, CreatedAt: core.At(time.Now())}
	if err := o.store.Tables().Users.Create(o.t.Context(), user); err != nil {
		o.t.Fatal(err)
	}
	return user
}

// reset asks for a new password.
func (o *office) reset(email string) {
	o.t.Helper()
	o.resetIn(email, "")
}

// resetIn asks for a new password in a language.
func (o *office) resetIn(email string, language core.Language) {
	o.t.Helper()
	err := o.store.InTx(o.t.Context(), func(ctx context.Context, tables storage.Tables) error {
		return o.queue.PasswordReset(ctx, tables, email, language)
	})
	if err != nil {
		o.t.Fatal(err)
	}
	o.queue.Wake()
}

// invite asks somebody into a workspace of that name.
func (o *office) invite(to, workspace, by string) (core.Invite, Invitation) {
	o.t.Helper()
	owner, now := o.user(string(core.NewID())+"@example.com"), core.At(time.Now())
	space := core.NewWorkspace("Team", false, nil, now)
	token := core.NewSecret()
	invite := core.Invite{
		ID: core.NewID(), Email: to, Role: core.RoleMember, InvitedBy: owner.ID, CreatedAt: now, ExpiresAt: now.Add(7 * 24 * time.Hour),
		WorkspaceID: space.ID, TokenHash: core.HashSecret(token),
	}
	invitation := Invitation{To: to, Workspace: workspace, InvitedBy: by, Role: invite.Role, Token: token, ExpiresAt: invite.ExpiresAt}
	err := o.store.InTx(o.t.Context(), func(ctx context.Context, tables storage.Tables) error {
		if err := tables.Workspaces.Create(ctx, space); err != nil {
			return err
		}
		if err := tables.Invites.Create(ctx, invite); err != nil {
			return err
		}
		return o.queue.Invite(ctx, tables, invitation)
	})
	if err != nil {
		o.t.Fatal(err)
	}
	o.queue.Wake()
	return invite, invitation
}

// waiting counts the jobs in the queue and removes them.
func (o *office) waiting() int {
	o.t.Helper()
	far := core.At(time.Now().Add(1000 * time.Hour))
	for n := 0; ; n++ {
		job, err := o.store.Tables().Mails.Claim(o.t.Context(), far, far)
		if core.IsCode(err, core.CodeNotFound) {
			return n
		}
		if err == nil {
			err = o.store.Tables().Mails.Delete(o.t.Context(), job.ID)
		}
		if err != nil {
			o.t.Fatal(err)
		}
	}
}

// token extracts the secret from a mail.
func token(t *testing.T, message mail.Message, before string) string {
	t.Helper()
	_, rest, found := strings.Cut(message.Text, before)
	secret, _, _ := strings.Cut(rest, "\n")
	if !found || len(secret) != 43 {
		t.Fatalf("got %q, want a link that begins with %s", message.Text, before)
	}
	return secret
}

// senderFunc is a mail.Sender that is one function.
type senderFunc func(context.Context, mail.Message) error

func (f senderFunc) Send(ctx context.Context, message mail.Message) error { return f(ctx, message) }

func (senderFunc) Check(context.Context) error { return nil }
