package publish_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/environment"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
)

// studio is a workspace with an owner and a project, and a publish service over
// adapters in memory.
type studio struct {
	t           *testing.T
	store       *failingStore
	bus         *deafBus
	sites       *countingSites
	pipeline    *files.Pipeline
	environment *environment.Service
	tools       *memory.Toolchain
	projects    *projects.Service
	publish     *publish.Service
	owner       core.Actor
	space       core.ID
	project     core.ID
}

// failingStore fails its transactions when a test says so, including those in the
// background.
type failingStore struct {
	*memory.Store
	failure atomic.Pointer[core.Error]
}

func (s *failingStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	if failure := s.failure.Load(); failure != nil {
		return failure
	}
	return s.Store.InTx(ctx, do)
}

// deafBus loses notices, or refuses followers, when a test says so.
type deafBus struct {
	*memory.Bus
	loses, refuses bool
	followers      atomic.Int64
}

func (b *deafBus) Publish(ctx context.Context, notice core.Notice) error {
	if b.loses {
		return core.Errorf(core.CodeUnavailable, "lost")
	}
	return b.Bus.Publish(ctx, notice)
}

func (b *deafBus) Follow(ctx context.Context, project core.ID) (<-chan *core.Notice, error) {
	b.followers.Add(1)
	if b.refuses {
		return nil, core.Errorf(core.CodeUnavailable, "refused")
	}
	return b.Bus.Follow(ctx, project)
}

// countingSites counts the deployments that are stored, and tells a test before
// it stores one.
type countingSites struct {
	sites.Store
	stored  atomic.Int64
	storing func()
}

func (c *countingSites) Put(ctx context.Context, id core.ID, files []sites.File) error {
	if c.storing != nil {
		c.storing()
	}
	c.stored.Add(1)
	return c.Store.Put(ctx, id, files)
}

func (c *countingSites) Remove(ctx context.Context, id core.ID) error {
	c.stored.Add(-1)
	return c.Store.Remove(ctx, id)
}

func address(slug string) string { return "http://" + slug + ".sites.test" }

func newStudio(t *testing.T) *studio {
	log := slog.New(slog.DiscardHandler)
	trees := memory.NewTrees()
	s := &studio{
		t: t, store: &failingStore{Store: memory.NewStore()}, bus: &deafBus{Bus: memory.NewBus()},
		sites: &countingSites{Store: memory.NewSites()}, space: core.NewID(),
	}
	gate := access.NewGate(s.store)
	s.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(trees), Store: s.store, Bus: s.bus,
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: time.Now, Log: log,
	})
	records := audit.New(audit.Deps{Store: s.store, Gate: gate, Now: time.Now, Log: log})
	s.projects = projects.NewService(projects.Deps{
		Store: s.store, Gate: gate, Audit: records, Files: s.pipeline, Trees: trees, Templates: memory.NewTemplates(),
		Backends: backends.New(backends.Deps{Store: s.store, Gate: gate, Files: s.pipeline, Engine: memorybackend.New(memorybackend.Config{}), Now: time.Now, Log: log}),
		Sites:    s.sites, Bus: s.bus, Address: address, Queued: func() {}, Now: time.Now, Log: log,
	})
	s.environment = environment.New(environment.Deps{Store: s.store, Gate: gate, Bus: s.bus, Sealer: memory.NewSealer(), Audit: audit.New(audit.Deps{Store: s.store, Gate: gate, Now: time.Now, Log: log}), Now: time.Now, Log: log})
	s.tools = memory.NewToolchain(trees)
	s.publish = s.service(s.store, s.sites)
	t.Cleanup(s.publish.Close)
	s.owner = s.person("owner@example.com", core.RoleOwner)
	s.project = s.newProject("shop")
	return s
}

// service returns a service over the studio's adapters, with the given store and
// sites.
func (s *studio) service(store storage.Store, stored sites.Store) *publish.Service {
	log, gate := slog.New(slog.DiscardHandler), access.NewGate(s.store)
	return publish.New(publish.Deps{
		Store: store, Gate: gate, Audit: audit.New(audit.Deps{Store: s.store, Gate: gate, Now: time.Now, Log: log}), Bus: s.bus, Committer: s.pipeline.Committer, History: s.pipeline.History, Sites: stored, Passwords: memory.NewPasswords(),
		Address: address, Picture: func(core.ID) {}, Now: time.Now, Log: log,
		Backends: backends.New(backends.Deps{Store: s.store, Gate: gate, Files: s.pipeline, Engine: memorybackend.New(memorybackend.Config{}), Now: time.Now, Log: log}),
		Maker:    builds.NewMaker(builds.Deps{Sources: s.pipeline, Environment: s.environment, Resolver: memory.NewPackages(), Builder: memory.NewBuilder(), Tools: s.tools}),
	})
}

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
	rows, err := s.pipeline.Create(ctx, id, fstest.MapFS{"index.html": {Data: []byte("one")}}, commitOf("First"))
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
	changes := []core.FileChange{{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}}
	results, err := s.pipeline.Apply(s.t.Context(), s.project, core.Author{}, changes, nil)
	s.must(err)
	s.must(results[0].Err)
}

// publishAs publishes the project under slug, "" for the default.
func (s *studio) publishAs(slug string) (publish.PublishResult, error) {
	if slug == "" {
		return s.publish.Publish(s.t.Context(), s.owner, s.project, publish.Request{})
	}
	return s.publish.Publish(s.t.Context(), s.owner, s.project, publish.Request{Slug: &slug})
}

func (s *studio) mustPublish() publish.PublishResult {
	s.t.Helper()
	published, err := s.publishAs("")
	s.must(err)
	return published
}

func (s *studio) deployments() []core.Deployment {
	s.t.Helper()
	deployments, err := s.publish.Deployments(s.t.Context(), s.owner, s.project)
	s.must(err)
	return deployments
}

// served returns the page that is live under slug, "" if none is.
func (s *studio) served(slug string) string {
	s.t.Helper()
	site, err := s.publish.Site(s.t.Context(), slug)
	if core.IsCode(err, core.CodeNotFound) {
		return ""
	}
	s.must(err)
	entries, err := s.sites.List(s.t.Context(), site.Live)
	s.must(err)
	for _, entry := range entries {
		if entry.Path == "index.html" {
			content, err := s.sites.Read(s.t.Context(), site.Live, entry)
			s.must(err)
			return string(content)
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
