package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/vcs"
)

var _ vcs.Repositories = (*Repositories)(nil)

// Repositories keeps one repository for each project. It is safe for concurrent use.
type Repositories struct {
	root    string
	reach   *durable.Reach
	started time.Time

	mu    sync.Mutex
	packs map[core.ID]*objects.Packs
}

// maxOpenPacks bounds the projects whose pack indexes are cached.
const maxOpenPacks = 64

// NewRepositories returns the repositories of the projects below root, which the worktree
// adapter has created. If root is missing, the error has code core.CodeUnavailable.
func NewRepositories(root string) (*Repositories, error) {
	absolute, err := filepath.Abs(root)
	if err == nil {
		absolute, err = filepath.EvalSymlinks(absolute)
	}
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the projects' disk is missing")
	}
	return &Repositories{root: absolute, reach: durable.NewReach(), started: time.Now(), packs: make(map[core.ID]*objects.Packs)}, nil
}

// Init implements vcs.Repositories.
func (r *Repositories) Init(ctx context.Context, project core.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := core.ParseID(string(project)); err != nil {
		return err
	}
	tree := filepath.Join(r.root, string(project))
	if _, err := os.Lstat(tree); err != nil {
		return durable.Fault(err, "project directory")
	}
	return durable.Fault(gitdir.Make(filepath.Join(tree, ".git")), "repository")
}

// Stage implements vcs.Repositories.
func (r *Repositories) Stage(ctx context.Context, project core.ID, changes []core.FileChange) error {
	repo, err := r.open(ctx, project)
	if err != nil {
		return err
	}
	return durable.Fault(repo.stage(ctx, changes), "repository")
}

// Commit implements vcs.Repositories.
func (r *Repositories) Commit(ctx context.Context, project core.ID, commit vcs.Commit) (core.Version, bool, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	version, made, err := repo.commit(ctx, commit)
	return version, made, durable.Fault(err, "repository")
}

// Log implements vcs.Repositories.
func (r *Repositories) Log(ctx context.Context, project core.ID, before string, limit int) ([]core.Version, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return nil, err
	}
	versions, err := repo.history.log(ctx, before, limit)
	return versions, durable.Fault(err, "version")
}

// Changes implements vcs.Repositories.
func (r *Repositories) Changes(ctx context.Context, project core.ID, version string) (core.Version, []vcs.Change, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return core.Version{}, nil, err
	}
	shown, changes, err := repo.history.changes(ctx, version)
	return shown, changes, durable.Fault(err, "version")
}

// Repair implements vcs.Repositories.
func (r *Repositories) Repair(ctx context.Context, project core.ID) (rebuilt bool, err error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return false, err
	}
	rebuilt, err = repo.repair(ctx)
	return rebuilt, durable.Fault(err, "repository")
}

// Staged implements vcs.Repositories.
func (r *Repositories) Staged(ctx context.Context, project core.ID) ([]vcs.StagedFile, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return nil, err
	}
	index, err := repo.dir.Index()
	if err != nil {
		return nil, durable.Fault(err, "repository")
	}
	return index.Staged(), nil
}

// repository is the repository of one project, for the duration of a call.
type repository struct {
	// tree is the project's directory; dir is the repository in it.
	tree    workTree
	dir     gitdir.Dir
	objects *objects.Store
	history history
	// started is when the adapter was made.
	started time.Time
}

// open finds a project's repository. An unmounted disk looks like a missing root; then no
// project may be reported as deleted.
func (r *Repositories) open(ctx context.Context, project core.ID) (*repository, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := core.ParseID(string(project)); err != nil {
		return nil, err
	}
	tree := filepath.Join(r.root, string(project))
	path := filepath.Join(tree, ".git")
	if _, err := r.reach.Lstat(ctx, filepath.Join(path, "HEAD")); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, durable.Fault(err, "repository")
		}
		if _, err := os.Lstat(r.root); err != nil {
			return nil, core.Wrap(core.CodeUnavailable, err, "the projects' disk is missing")
		}
		return nil, core.NotFound("repository")
	}
	dir := gitdir.Open(path, func() error { return locks.Check(ctx) })
	store := objects.NewStore(path, r.packsOf(project, path))
	return &repository{workTree(tree), dir, store, history{dir, store}, r.started}, nil
}

// packsOf returns the project's cached pack reader. If there are too many, it drops an
// arbitrary other one, which is rebuilt when needed.
func (r *Repositories) packsOf(project core.ID, dir string) *objects.Packs {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.packs[project]; known != nil {
		return known
	}
	for other := range r.packs {
		if len(r.packs) < maxOpenPacks {
			break
		}
		delete(r.packs, other)
	}
	r.packs[project] = objects.NewPacks(dir)
	return r.packs[project]
}
