package preview_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/environment"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// studio is a workspace with an owner, a project, and a preview service over
// adapters in memory.
type studio struct {
	t           *testing.T
	store       *memory.Store
	bus         *brittleBus
	packages    *memory.Packages
	tools       *memory.Toolchain
	pipeline    *files.Pipeline
	sources     *sourcesMock
	environment *environment.Service
	maker       *countingMaker
	preview     *preview.Service
	owner       core.Actor
	space       core.ID
	project     core.ID
}

//go:generate go tool moq -out sourcesmock_test.go -pkg preview_test ../builds Sources:sourcesMock

// countingMaker counts builds. A test can delay builds and questions for the tools.
type countingMaker struct {
	preview.Maker
	builds  atomic.Int64
	running atomic.Int64
	delay   atomic.Int64
	looking atomic.Int64
	// tenant is the workspace of the last build.
	tenant atomic.Value
}

func (m *countingMaker) Available(ctx context.Context) error {
	time.Sleep(time.Duration(m.looking.Load()))
	return m.Maker.Available(ctx)
}

func (m *countingMaker) MakePlanned(ctx context.Context, project core.ID, plan builds.Plan, mode build.Mode) (build.Result, error) {
	if m.running.Add(1) > 1 {
		panic("two builds of one project at a time")
	}
	defer m.running.Add(-1)
	m.builds.Add(1)
	m.tenant.Store(fair.Tenant(ctx))
	made, err := m.Maker.MakePlanned(ctx, project, plan, mode)
	select {
	case <-time.After(time.Duration(m.delay.Load())):
		return made, err
	case <-ctx.Done():
		return build.Result{}, ctx.Err()
	}
}

// brittleBus is a bus whose followers can be cut off.
type brittleBus struct {
	*memory.Bus
	mu   sync.Mutex
	cuts []context.CancelFunc
}

func (b *brittleBus) Follow(ctx context.Context, project core.ID) (<-chan *core.Notice, error) {
	ctx, cut := context.WithCancel(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cuts = append(b.cuts, cut)
	return b.Bus.Follow(ctx, project)
}

// breakBus cuts all followers off.
func (s *studio) breakBus() {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	for _, cut := range s.bus.cuts {
		cut()
	}
	s.bus.cuts = nil
	synctest.Wait()
}

const page = "<!doctype html><html><head><title>one</title></head><body></body></html>"

// play runs a test in a synctest bubble, with a studio whose project has a page.
func play(t *testing.T, test func(t *testing.T, s *studio)) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, preview.Settings{Scheme: "http", Domain: "preview.test:8080"})
		test(t, s)
		s.preview.Close()
	})
}

func newStudio(t *testing.T, settings preview.Settings) *studio {
	log := slog.New(slog.DiscardHandler)
	store, bus, trees := memory.NewStore(), &brittleBus{Bus: memory.NewBus()}, memory.NewTrees()
	s := &studio{t: t, store: store, bus: bus, packages: memory.NewPackages(), space: core.NewID()}
	t.Cleanup(func() { _ = s.packages.Close() })
	s.tools = memory.NewToolchain(trees)
	s.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(trees), Store: store, Bus: bus,
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: time.Now, Log: log,
	})
	s.environment = environment.New(environment.Deps{Store: store, Gate: access.NewGate(store), Bus: bus, Sealer: memory.NewSealer(), Audit: audit.New(audit.Deps{Store: store, Gate: access.NewGate(store), Now: time.Now, Log: log}), Now: time.Now, Log: log})
	s.sources = &sourcesMock{ViewFunc: s.pipeline.View}
	s.maker = &countingMaker{Maker: builds.NewMaker(builds.Deps{Sources: s.sources, Environment: s.environment, Resolver: s.packages, Builder: memory.NewBuilder(), Tools: s.tools})}
	s.preview = preview.New(preview.Deps{
		Store: store, Gate: access.NewGate(store), Bus: bus, Sealer: memory.NewSealer(),
		Maker: s.maker, Settings: settings, Now: time.Now, Log: log,
	})
	s.owner = s.person("owner@example.com", core.RoleOwner)
	s.project = s.newProject("shop")
	return s
}

// person makes a user with a role in the workspace.
func (s *studio) person(email string, role core.Role) core.Actor {
	s.t.Helper()
	ctx, tables := s.t.Context(), s.store.Tables()
	id := core.NewID()
	s.must(tables.Users.Create(ctx, core.User{ID: id, Email: email}))
	if role == core.RoleOwner {
		s.must(tables.Workspaces.Create(ctx, core.Workspace{ID: s.space, Name: "Space", Slug: "space"}))
	}
	if role != core.RoleNone {
		s.must(tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: s.space, UserID: id, Role: role}))
	}
	return core.Actor{UserID: id}
}

func (s *studio) newProject(slug string) core.ID {
	s.t.Helper()
	ctx, id := s.t.Context(), core.NewID()
	commit := vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "owner"}}
	rows, err := s.pipeline.Create(ctx, id, fstest.MapFS{"index.html": {Data: []byte(page)}}, commit)
	s.must(err)
	s.must(s.store.Tables().Projects.Create(ctx, core.Project{
		ID: id, WorkspaceID: s.space, Slug: slug, Name: slug, Visibility: core.VisibilityWorkspace, CreatedBy: s.owner.UserID,
	}))
	_, err = s.store.Tables().Files.Apply(ctx, id, storage.FileDelta{Put: rows})
	s.must(err)
	return id
}

func (s *studio) write(path, content string) {
	s.t.Helper()
	change := core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}
	s.apply(change)
}

func (s *studio) apply(change core.FileChange) {
	s.t.Helper()
	results, err := s.pipeline.Apply(s.t.Context(), s.project, core.Author{}, []core.FileChange{change}, nil)
	s.must(err)
	s.must(results[0].Err)
}

// change alters the project's record and tells its followers.
func (s *studio) change(alter func(*core.Project)) {
	s.t.Helper()
	_, err := s.store.Tables().Projects.Update(s.t.Context(), s.project, func(p *core.Project) error { alter(p); return nil })
	s.must(err)
	s.must(s.bus.Publish(s.t.Context(), core.Notice{Kind: core.NoticeProject, ProjectID: s.project}))
}

// raise increments the version of the workspace's members.
func (s *studio) raise() {
	s.t.Helper()
	_, err := s.store.Tables().Workspaces.Update(s.t.Context(), s.space, func(w *core.Workspace) error { w.MembersVersion++; return nil })
	s.must(err)
}

func (s *studio) start() preview.Status {
	s.t.Helper()
	status, err := s.preview.Start(s.t.Context(), s.owner, s.project)
	s.must(err)
	synctest.Wait()
	return status
}

// shown returns the page that the preview's host would serve now, "" for none.
func (s *studio) shown() string {
	s.t.Helper()
	got, err := s.preview.Page(s.t.Context(), s.project)
	s.must(err)
	if got.Build == nil {
		return ""
	}
	for _, file := range got.Build.Files {
		if file.Path == "index.html" {
			return string(file.Content)
		}
	}
	return ""
}

func (s *studio) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}
