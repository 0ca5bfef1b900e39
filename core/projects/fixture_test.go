package projects_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/storage"
)

// fileLimit is the largest file of an import, in bytes.
const fileLimit = 1 << 20

// fixture is the service over memory, with a workspace that has an owner and a
// member, and a stranger.
type fixture struct {
	t         *testing.T
	ctx       context.Context
	now       time.Time
	trees     *memory.Trees
	deps      projects.Deps
	pipeline  *files.Pipeline
	service   *projects.Service
	engine    *memorybackend.Engine
	backends  *backends.Service
	wakes     int
	workspace core.ID
	owner     core.Actor
	member    core.Actor
	stranger  core.Actor
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, ctx: t.Context(), now: time.Now().Truncate(time.Millisecond), trees: memory.NewTrees()}
	store, bus, log := memory.NewStore(), memory.NewBus(), slog.New(slog.DiscardHandler)
	clock := func() time.Time { return f.now }
	f.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     f.trees, Repositories: memory.NewRepositories(f.trees), Store: store, Bus: bus,
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: clock, Log: log,
	})
	gate := access.NewGate(store)
	records := audit.New(audit.Deps{Store: store, Gate: gate, Now: clock, Log: log})
	f.engine = memorybackend.New(memorybackend.Config{})
	f.backends = backends.New(backends.Deps{Store: store, Gate: gate, Files: f.pipeline, Engine: f.engine, Audit: records, Now: clock, Log: log})
	f.deps = projects.Deps{
		Store: store, Gate: gate, Audit: records, Backends: f.backends, Files: f.pipeline, Trees: f.trees, Templates: memory.NewTemplates(),
		Sites: memory.NewSites(), Bus: bus, Now: clock, Log: log,
		Address:     func(slug string) string { return "http://" + slug + ".example.net" },
		Attachments: attachments.NewLoader(memory.NewGuard()), Queued: func() { f.wakes++ }, MaxFileBytes: fileLimit,
	}
	f.service = projects.NewService(f.deps)
	f.owner, f.member, f.stranger = f.addUser("ann@example.com"), f.addUser("bob@example.com"), f.addUser("eve@example.com")
	f.workspace = f.addWorkspace(map[core.ID]core.Role{f.owner.UserID: core.RoleOwner, f.member.UserID: core.RoleMember})
	return f
}

func (f *fixture) tables() storage.Tables { return f.deps.Store.Tables() }

func (f *fixture) addUser(email string) core.Actor {
	f.t.Helper()
	id := core.NewID()
	f.must(f.tables().Users.Create(f.ctx, core.User{ID: id, Email: email}))
	return core.Actor{UserID: id}
}

func (f *fixture) addWorkspace(members map[core.ID]core.Role) core.ID {
	f.t.Helper()
	id := core.NewID()
	f.must(f.tables().Workspaces.Create(f.ctx, core.Workspace{ID: id, Name: "Team", Slug: string(id)}))
	for user, role := range members {
		f.must(f.tables().Workspaces.PutMember(f.ctx, core.Membership{WorkspaceID: id, UserID: user, Role: role}))
	}
	return id
}

func (f *fixture) addFolder(workspace core.ID) core.ID {
	f.t.Helper()
	id := core.NewID()
	f.must(f.tables().Folders.Create(f.ctx, core.Folder{ID: id, WorkspaceID: workspace, Name: "Folder"}))
	return id
}

func (f *fixture) create(name string) projects.View {
	f.t.Helper()
	view, err := f.service.Create(f.ctx, f.member, f.workspace, projects.Draft{Name: name})
	f.must(err)
	return view
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatalf("unexpected error: %v", err)
	}
}

func (f *fixture) wantCode(err error, want core.Code) {
	f.t.Helper()
	if got := core.CodeOf(err); got != want {
		f.t.Fatalf("got code %q (%v), want %q", got, err, want)
	}
}

// wantTrees fails the test unless there are that many trees.
func (f *fixture) wantTrees(want int) {
	f.t.Helper()
	trees, err := f.trees.List(f.ctx)
	f.must(err)
	if len(trees) != want {
		f.t.Errorf("got %d trees, want %d", len(trees), want)
	}
}

func ptr[T any](value T) *T { return &value }

func given[T any](value T) projects.Nullable[T] {
	return projects.Nullable[T]{Present: true, Value: &value}
}

func null[T any]() projects.Nullable[T] { return projects.Nullable[T]{Present: true} }
