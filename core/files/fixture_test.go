package files_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// fixture is the pipeline and the service over memory, with one project that has
// README.md and src/main.js.
type fixture struct {
	t         *testing.T
	ctx       context.Context
	deps      files.Deps
	trees     *memory.Trees
	pipeline  *files.Pipeline
	service   *files.Service
	workspace core.ID
	project   core.ID
	member    core.Actor
	stranger  core.Actor
}

const fixtureLimit = 1 << 10

func newFixture(t *testing.T) *fixture {
	t.Helper()
	trees := memory.NewTrees()
	f := &fixture{t: t, ctx: t.Context(), trees: trees, deps: files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(trees), Store: memory.NewStore(), Bus: memory.NewBus(),
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Search: plainSearch{}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}}
	f.member, f.stranger = f.addUser("ann@example.com", "Ann"), f.addUser("eve@example.com", "")
	f.workspace = f.addWorkspace(f.member)
	f.restart()
	f.project = f.addProject(fstest.MapFS{
		"README.md":   {Data: []byte("hello")},
		"src/main.js": {Data: []byte("main()")},
	})
	return f
}

// restart rebuilds the use cases over the same ports, as a new process would.
func (f *fixture) restart() {
	f.pipeline = files.NewPipeline(f.deps)
	f.service = files.NewService(files.ServiceDeps{Gate: access.NewGate(f.deps.Store), Reader: f.pipeline.Reader, Writer: f.pipeline.Writer, MaxFileBytes: fixtureLimit})
}

func (f *fixture) addUser(email, name string) core.Actor {
	f.t.Helper()
	user := core.User{ID: core.NewID(), Email: email, CreatedAt: core.At(time.Now())}
	if name != "" {
		user.DisplayName = &name
	}
	f.must(f.deps.Store.Tables().Users.Create(f.ctx, user))
	return core.Actor{UserID: user.ID}
}

func (f *fixture) addWorkspace(owner core.Actor) core.ID {
	f.t.Helper()
	tables, id := f.deps.Store.Tables(), core.NewID()
	f.must(tables.Workspaces.Create(f.ctx, core.Workspace{ID: id, Name: "Team", Slug: "team"}))
	f.must(tables.Workspaces.PutMember(f.ctx, core.Membership{WorkspaceID: id, UserID: owner.UserID, Role: core.RoleOwner}))
	return id
}

func (f *fixture) addProject(content fs.FS) core.ID {
	f.t.Helper()
	id := core.NewID()
	rows, err := f.pipeline.Create(f.ctx, id, content, vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}})
	f.must(err)
	project := core.Project{
		ID: id, WorkspaceID: f.workspace, Slug: string(id), Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: f.member.UserID,
	}
	f.must(f.deps.Store.InTx(f.ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := tables.Projects.Create(ctx, project); err != nil {
			return err
		}
		_, err := tables.Files.Apply(ctx, id, storage.FileDelta{Put: rows})
		return err
	}))
	return id
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatalf("unexpected error: %v", err)
	}
}

// wantCode fails the test unless err has the code.
func (f *fixture) wantCode(err error, want core.Code) {
	f.t.Helper()
	if got := core.CodeOf(err); got != want {
		f.t.Fatalf("got code %q (%v), want %q", got, err, want)
	}
}

// wantPaths fails the test unless the project lists exactly these paths, with the
// tags and sizes that the disk has, and the repository has staged all of them.
func (f *fixture) wantPaths(want ...string) {
	f.t.Helper()
	listing, err := f.pipeline.List(f.ctx, f.project)
	f.must(err)
	var got []string
	for _, entry := range listing.Entries {
		got = append(got, entry.Path.String())
		content := f.read(entry.Path.String())
		if entry.Size != int64(len(content)) || entry.ETag != files.ETag([]byte(content)) {
			f.t.Errorf("%s: got the row %+v for the content %q", entry.Path, entry, content)
		}
	}
	if !slices.Equal(got, want) {
		f.t.Errorf("listed: got %q, want %q", got, want)
	}
	f.wantStaged(want...)
}

// wantStaged fails the test unless the index holds exactly these paths, as the
// disk has them.
func (f *fixture) wantStaged(want ...string) {
	f.t.Helper()
	staged, err := f.deps.Repositories.Staged(f.ctx, f.project)
	f.must(err)
	tree, err := f.trees.Open(f.ctx, f.project)
	f.must(err)
	var got []string
	for _, file := range staged {
		got = append(got, file.Path.String())
		info, err := tree.Stat(f.ctx, file.Path)
		if err != nil || info.ModifiedNano != file.ModifiedNano || info.Size != file.Size {
			f.t.Errorf("index: got %+v, want what the disk has: %+v, %v", file, info, err)
		}
	}
	if !slices.Equal(got, want) {
		f.t.Errorf("staged: got %q, want %q", got, want)
	}
}

func (f *fixture) read(path string) string {
	f.t.Helper()
	file, err := f.pipeline.Open(f.ctx, f.at(path))
	f.must(err)
	defer file.Close()
	content, err := io.ReadAll(file)
	f.must(err)
	return string(content)
}

func (f *fixture) at(path string) core.FileAt {
	return core.FileAt{Project: f.project, Path: core.MustPath(path)}
}

// apply applies changes as the member and fails the test when Apply itself fails.
func (f *fixture) apply(changes ...core.FileChange) []files.Result {
	f.t.Helper()
	results, err := f.pipeline.Apply(f.ctx, f.project, core.Author{Kind: core.AuthorUser, Name: "Ann"}, changes, nil)
	f.must(err)
	return results
}

// outside changes the tree directly, without the service.
func (f *fixture) outside(changes ...core.FileChange) {
	f.t.Helper()
	tree, err := f.trees.Open(f.ctx, f.project)
	f.must(err)
	for _, result := range tree.Apply(f.ctx, changes) {
		f.must(result.Err)
	}
}

func write(path, content string) core.FileChange {
	return core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}
}

func remove(path string) core.FileChange {
	return core.FileChange{Op: core.OpDelete, Path: core.MustPath(path)}
}

func rename(from, to string) core.FileChange {
	return core.FileChange{Op: core.OpRename, Path: core.MustPath(from), To: core.MustPath(to)}
}

// errDisk is the failure of a broken disk.
var errDisk = core.Wrap(core.CodeUnavailable, errors.New("no space left on device"), "the disk is full")

// brokenStage fails to stage as long as broken is set.
type brokenStage struct {
	vcs.Repositories
	broken bool
}

func (b *brokenStage) Stage(ctx context.Context, project core.ID, changes []core.FileChange) error {
	if b.broken {
		return errDisk
	}
	return b.Repositories.Stage(ctx, project, changes)
}

// plainSearch finds files by their whole content; the engines' own suite tests
// searching.
type plainSearch struct{}

func (plainSearch) Search(_ context.Context, sources fs.FS, query search.Query) (search.Found, error) {
	found := search.Found{Matches: []core.Match{}}
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(sources, name)
		if string(content) == query.Pattern {
			found.Matches = append(found.Matches, core.Match{Path: core.MustPath(name), Line: query.Limit})
		}
		return err
	})
	return found, err
}
