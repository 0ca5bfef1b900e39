package workspaces_test

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/storage"
)

// crew is a workspace with people in every role, a project in it, and a record of
// all notices about them.
type crew struct {
	t       *testing.T
	members *workspaces.Members
	invites *workspaces.Invites
	folders *workspaces.Folders

	store                        *memory.Store
	bus                          *memory.Bus
	mails                        *memory.Mailbox
	runs                         *stoppedRuns
	records                      *audit.Log
	passed, woken                atomic.Int64
	workspace                    core.Workspace
	project                      core.ID
	owner, admin, member, nobody core.Actor
}

// stoppedRuns records whose runs were stopped in which project.
type stoppedRuns struct {
	mu    sync.Mutex
	calls []string
	err   error
}

func (r *stoppedRuns) StopOf(_ context.Context, project, user core.ID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, fmt.Sprint(project, " ", user))
	return r.err
}

func newCrew(t *testing.T) *crew {
	t.Helper()
	c := &crew{
		t: t, store: memory.NewStore(), bus: memory.NewBus(), mails: memory.NewMailbox(), runs: &stoppedRuns{},
		workspace: core.NewWorkspace("Team", false, nil, 1000),
	}
	quiet := slog.New(slog.DiscardHandler)
	c.records = audit.New(audit.Deps{Store: c.store, Gate: access.NewGate(c.store), Now: c.now, Log: quiet})
	queue := mailer.New(memory.NewSealer(), c.now)
	worker := mailer.NewWorker(mailer.Deps{
		Queue: queue, Store: c.store, Sender: c.mails, Audit: c.records, Origin: "http://studio.test", Log: quiet, Now: c.now,
	})
	worker.Start()
	t.Cleanup(func() { _ = worker.Close(context.Background()) })
	c.members = workspaces.NewMembers(workspaces.MemberDeps{Store: c.store, Audit: c.records, Runs: c.runs, Hooks: webhooks.NewQueue(c.store, c.now, quiet), Trash: c, Bus: c.bus, Log: quiet})
	c.invites = workspaces.NewInvites(workspaces.InviteDeps{Store: c.store, Members: c.members, Mail: queue, Audit: c.records, Now: c.now})
	c.folders = workspaces.NewFolders(c.store, c.now)
	c.must(c.store.Tables().Workspaces.Create(t.Context(), c.workspace))
	c.owner, c.admin, c.member, c.nobody = c.person("owner"), c.person("admin"), c.person("member"), c.person("nobody")
	c.enter(c.owner, core.RoleOwner)
	c.enter(c.admin, core.RoleAdmin)
	c.enter(c.member, core.RoleMember)
	c.project = c.addProject("shop")
	return c
}

// now is a clock that stands still until pass advances it.
func (c *crew) now() time.Time {
	return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(c.passed.Load()))
}

// WakePurge counts how often the trash is woken.
func (c *crew) WakePurge() { c.woken.Add(1) }

func (c *crew) pass(d time.Duration) { c.passed.Add(int64(d)) }

func (c *crew) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// person makes an account at name@example.com.
func (c *crew) person(name string) core.Actor {
	c.t.Helper()
	user := core.User{ID: core.NewID(), Email: name + "@example.com", CreatedAt: 1}
	c.must(c.store.Tables().Users.Create(c.t.Context(), user))
	return core.Actor{UserID: user.ID, IP: "192.0.2.1"}
}

func (c *crew) enter(who core.Actor, role core.Role) {
	c.t.Helper()
	joined := core.Membership{WorkspaceID: c.workspace.ID, UserID: who.UserID, Role: role, JoinedAt: 2000}
	c.must(c.store.Tables().Workspaces.PutMember(c.t.Context(), joined))
}

func (c *crew) addProject(slug string) core.ID {
	c.t.Helper()
	project := core.Project{
		ID: core.NewID(), WorkspaceID: c.workspace.ID, Slug: slug, Name: slug, Visibility: core.VisibilityPrivate, CreatedBy: c.member.UserID,
	}
	c.must(c.store.Tables().Projects.Create(c.t.Context(), project))
	return project.ID
}

// wantRole checks a person's role in the workspace.
func (c *crew) wantRole(what string, who core.Actor, want core.Role) {
	c.t.Helper()
	got, err := c.store.Tables().Workspaces.Role(c.t.Context(), c.workspace.ID, who.UserID)
	if err != nil || got != want {
		c.t.Errorf("%s: got the role %q, %v, want %q", what, got, err, want)
	}
}

func (c *crew) version() int {
	c.t.Helper()
	space, err := c.store.Tables().Workspaces.ByID(c.t.Context(), c.workspace.ID)
	c.must(err)
	return space.MembersVersion
}

// wantAudited compares the newest entry of the log.
func (c *crew) wantAudited(action core.AuditAction, target string) {
	c.t.Helper()
	entries, err := c.store.Tables().Audit.List(c.t.Context(), c.workspace.ID, core.Page{Limit: 1})
	c.must(err)
	if len(entries) != 1 || entries[0].Action != action || entries[0].Target != target || entries[0].IP != "192.0.2.1" {
		c.t.Errorf("got %+v in the audit log, want %s %q", entries, action, target)
	}
}

var inviteLink = regexp.MustCompile(`http://studio\.test/invites/([\w-]{43})`)

// secret is that of the n-th mail to an address, from 1.
func (c *crew) secret(email string, n int) string {
	c.t.Helper()
	mails, err := c.mails.Await(c.t.Context(), email, n)
	c.must(err)
	found := inviteLink.FindStringSubmatch(mails[n-1].Text)
	if found == nil {
		c.t.Fatalf("got %s, want a link in the mail", mails[n-1].Text)
	}
	return found[1]
}

// failingTables makes storage.Store fail at the commit of every transaction.
type failingCommit struct{ storage.Store }

func (s failingCommit) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := do(ctx, tables); err != nil {
			return err
		}
		return core.Errorf(core.CodeUnavailable, "the disk is full")
	})
}
