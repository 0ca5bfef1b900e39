package files

import (
	"context"
	"io/fs"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Source passes the files of a new project to add, one after the other, each whole.
// It returns add's error or one of its own.
type Source func(ctx context.Context, add func(path core.ProjectPath, content []byte) error) error

// FromFS is a Source of all files of a file system.
func FromFS(files fs.FS) Source {
	return func(_ context.Context, add func(core.ProjectPath, []byte) error) error {
		return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			path, err := core.ParsePath(name)
			if err != nil {
				return err
			}
			content, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			return add(path, content)
		})
	}
}

// Lifecycle makes and removes the trees and repositories of projects.
type Lifecycle struct{ projects projects }

// Create is CreateFrom with all files of a file system.
func (l Lifecycle) Create(ctx context.Context, project core.ID, files fs.FS, commit vcs.Commit) ([]core.FileEntry, error) {
	return l.CreateFrom(ctx, project, FromFS(files), commit)
}

// CreateFrom makes the tree and the repository of a new project, writes the files
// of a source into it, and commits them as its first version. It returns the rows
// of the cache, for the caller to store in the transaction that makes the project's
// record. On failure it removes everything again.
func (l Lifecycle) CreateFrom(ctx context.Context, project core.ID, source Source, commit vcs.Commit) ([]core.FileEntry, error) {
	return l.create(ctx, project, func(c *creation) error {
		if err := c.addAll(source); err != nil {
			return err
		}
		if err := c.commit(commit); err != nil {
			return err
		}
		c.locked.fresh.add(project)
		return nil
	})
}

// CreateFetched is CreateFrom with the history that fetch brings from another
// repository. If a project cannot hold some older version, it takes the newest alone,
// as the version that commit describes. If no project can hold the newest, it returns
// the error of vcs.FetchedBranch.Tree.
//
// The history becomes the project's with its first touch, which the caller makes once
// the project is recorded. Until then a crash must leave a tree that is recognisably
// nobody's.
func (l Lifecycle) CreateFetched(ctx context.Context, project core.ID, fetch func(context.Context) (vcs.FetchedBranch, error), commit vcs.Commit) ([]core.FileEntry, error) {
	return l.create(ctx, project, func(c *creation) error {
		fetched, err := fetch(c.locked.ctx)
		if err != nil {
			return err
		}
		defer func() { _ = fetched.Close() }()
		return c.take(fetched, commit)
	})
}

// create makes a tree and a repository, lets fill put the files there, and returns their
// rows. On failure it removes everything again.
func (l Lifecycle) create(ctx context.Context, project core.ID, fill func(*creation) error) ([]core.FileEntry, error) {
	locked, err := l.projects.lock(ctx, project)
	if err != nil {
		return nil, err
	}
	defer locked.release()
	// The work ends with ctx: nobody else waits for a project that is still being created.
	locked.limit(ctx, arrivalTimeout)
	if err := l.projects.deps.Trees.Create(locked.ctx, project); err != nil {
		return nil, err
	}
	creation, err := newCreation(locked)
	if err == nil {
		err = fill(creation)
	}
	if err != nil {
		l.projects.removeLeftover(ctx, project)
		return nil, err
	}
	return creation.entries, nil
}

// removeLeftover removes the tree of a project that could not be made. It does so even after
// a timeout.
func (s *state) removeLeftover(ctx context.Context, project core.ID) {
	if err := s.deps.Trees.Remove(context.WithoutCancel(ctx), project); err != nil {
		s.deps.Log.ErrorContext(ctx, "could not remove the files of a project that failed to be created", "project", project, "error", err)
	}
}

// A changeBuffer is full with this many bytes of content or this many files.
const (
	maxBufferBytes = 16 << 20
	maxBufferFiles = 1000
)

// changeBuffer holds changes in memory on their way into a tree or a repository, so that many
// are made at once.
type changeBuffer struct {
	changes []core.FileChange
	bytes   int
}

// add appends a change, and reports whether the buffer is full.
func (b *changeBuffer) add(change core.FileChange) bool {
	b.changes = append(b.changes, change)
	b.bytes += len(change.Content)
	return b.bytes >= maxBufferBytes || len(b.changes) >= maxBufferFiles
}

// creation writes the files of a new project in batches.
type creation struct {
	locked  *lockedProject
	tree    worktree.Tree
	buffer  changeBuffer
	entries []core.FileEntry
}

// newCreation makes the repository of a project that has an empty tree.
func newCreation(locked *lockedProject) (*creation, error) {
	tree, err := locked.openTree()
	if err != nil {
		return nil, err
	}
	if err := locked.deps.Repositories.Init(locked.ctx, locked.id); err != nil {
		return nil, err
	}
	return &creation{locked: locked, tree: tree}, nil
}

func (c *creation) addAll(source Source) error {
	err := source(c.locked.ctx, func(path core.ProjectPath, content []byte) error {
		return c.add(core.FileChange{Op: core.OpWrite, Path: path, Content: content})
	})
	if err != nil {
		return err
	}
	return c.flush()
}

func (c *creation) add(change core.FileChange) error {
	if !c.buffer.add(change) {
		return nil
	}
	return c.flush()
}

func (c *creation) flush() error {
	if err := c.locked.budget.admit(c.locked.ctx, c.locked.id, c.tree, c.buffer.changes); err != nil {
		return err
	}
	ledger := newLedger(c.locked, c.tree)
	results, err := ledger.enter(c.buffer.changes, c.tree.Apply(c.locked.ctx, c.buffer.changes))
	if err != nil {
		return err
	}
	for _, result := range results {
		if result.Err != nil {
			return result.Err
		}
	}
	if err := ledger.stage(); err != nil {
		return err
	}
	c.entries = append(c.entries, ledger.delta().Put...)
	c.buffer = changeBuffer{}
	return nil
}

// commit makes the first version.
func (c *creation) commit(commit vcs.Commit) error {
	_, _, err := c.locked.deps.Repositories.Commit(c.locked.ctx, c.locked.id, c.locked.dated(commit))
	return err
}

// take fills the project with what was fetched.
func (c *creation) take(fetched vcs.FetchedBranch, commit vcs.Commit) error {
	if err := fetched.Tree(); err != nil {
		return err
	}
	if _, err := fetched.Files(c.locked.ctx, c.add); err != nil {
		return err
	}
	if err := c.flush(); err != nil {
		return err
	}
	if fetched.History() != nil {
		return c.commit(commit)
	}
	return c.adopt(fetched)
}

// adopt stores the objects of a history, and a write-ahead note that it becomes the
// project's.
func (c *creation) adopt(fetched vcs.FetchedBranch) error {
	if err := fetched.Adopt(c.locked.ctx); err != nil {
		return err
	}
	return c.locked.deps.Repositories.Arrive(c.locked.ctx, c.locked.id, vcs.Arrival{To: fetched.Tip()})
}

// Duplicate makes the tree and the repository of a new project as copies of another's:
// the current files, staged ones included, and all versions with their ids. It leaves
// out build output and packages that nobody has staged. record gets the rows of the
// cache, to store them in the transaction that makes the project's record.
//
// Duplicate holds the lock of the copied project throughout, record included. So the
// copy is the project at one moment, and what record reads of it is not older than the
// files. On failure Duplicate removes the copy again.
func (l Lifecycle) Duplicate(ctx context.Context, from, to core.ID, record func(ctx context.Context, entries []core.FileEntry) error) error {
	locked, err := l.projects.lockSaved(ctx, from)
	if err != nil {
		return err
	}
	defer locked.release()
	if err := l.projects.deps.Trees.Create(locked.ctx, to); err != nil {
		return err
	}
	entries, err := duplication{locked, to}.copy()
	if err == nil {
		err = record(locked.ctx, entries)
	}
	if err != nil {
		l.projects.removeLeftover(ctx, to)
	}
	return err
}

// duplication copies a locked project to a new one.
type duplication struct {
	from *lockedProject
	to   core.ID
}

// copy fills a new tree and returns its rows. The versions come last: until then the
// tree counts as untouched and is removed if the process dies.
//
// The new project does not count as reconciled, because its repository has to learn
// that somebody begins to work with it: see vcs.Duplicates.
func (d duplication) copy() ([]core.FileEntry, error) {
	if err := d.from.deps.Repositories.Init(d.from.ctx, d.to); err != nil {
		return nil, err
	}
	paths, err := d.paths()
	if err != nil {
		return nil, err
	}
	if err := d.from.deps.Trees.Copy(d.from.ctx, d.from.id, d.to, paths); err != nil {
		return nil, err
	}
	if err := d.from.deps.Repositories.Duplicate(d.from.ctx, d.from.id, d.to); err != nil {
		return nil, err
	}
	return d.from.cache.rows(d.from.ctx, d.from.id)
}

// paths returns the paths that are listed, and those that are staged without being
// listed.
func (d duplication) paths() ([]core.ProjectPath, error) {
	tree, err := d.from.openTree()
	if err != nil {
		return nil, err
	}
	var paths []core.ProjectPath
	err = tree.Walk(d.from.ctx, func(info worktree.Info) error { paths = append(paths, info.Path); return nil })
	if err != nil {
		return nil, err
	}
	staged, err := d.from.deps.Repositories.Staged(d.from.ctx, d.from.id)
	if err != nil {
		return nil, err
	}
	for _, file := range staged {
		if file.Path.Generated() {
			paths = append(paths, file.Path)
		}
	}
	return paths, nil
}
