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

// Create is CreateFrom with all files of a file system.
func (p *Pipeline) Create(ctx context.Context, project core.ID, files fs.FS, commit vcs.Commit) ([]core.FileEntry, error) {
	return p.CreateFrom(ctx, project, FromFS(files), commit)
}

// CreateFrom makes the tree and the repository of a new project, writes the files
// of a source into it, and commits them as its first version. It returns the rows
// of the cache, for the caller to store in the transaction that makes the project's
// record. On failure it removes everything again.
func (p *Pipeline) CreateFrom(ctx context.Context, project core.ID, source Source, commit vcs.Commit) ([]core.FileEntry, error) {
	return p.create(ctx, project, func(c *creation) error {
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

// create makes a tree and a repository, lets fill put the files there, and returns their
// rows. On failure it removes everything again.
func (p *Pipeline) create(ctx context.Context, project core.ID, fill func(*creation) error) ([]core.FileEntry, error) {
	locked, err := p.lock(ctx, project)
	if err != nil {
		return nil, err
	}
	defer locked.release()
	// The work ends with ctx: nobody else waits for a project that is still being created.
	locked.limit(ctx, arrivalTimeout)
	if err := p.deps.Trees.Create(locked.ctx, project); err != nil {
		return nil, err
	}
	creation, err := locked.newCreation()
	if err == nil {
		err = fill(creation)
	}
	if err != nil {
		p.removeLeftover(ctx, project)
		return nil, err
	}
	return creation.entries, nil
}

// removeLeftover removes the tree of a project that could not be made. It does so even after
// a timeout.
func (s *state) removeLeftover(ctx context.Context, project core.ID) {
	if err := s.deps.Trees.Remove(context.WithoutCancel(ctx), project); err != nil {
		s.deps.Log.ErrorContext(ctx, "tree of a project that was not made stays behind", "project", project, "error", err)
	}
}

// maxBatchBytes and maxBatchFiles bound the files held in memory on their way into
// a tree or a repository.
const (
	maxBatchBytes = 16 << 20
	maxBatchFiles = 1000
)

// creation writes the files of a new project in batches.
type creation struct {
	locked  *lockedProject
	tree    worktree.Tree
	pending []core.FileChange
	bytes   int
	entries []core.FileEntry
}

// newCreation makes the repository of a project that has an empty tree.
func (l *lockedProject) newCreation() (*creation, error) {
	tree, err := l.openTree()
	if err != nil {
		return nil, err
	}
	if err := l.deps.Repositories.Init(l.ctx, l.id); err != nil {
		return nil, err
	}
	return &creation{locked: l, tree: tree}, nil
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
	c.pending = append(c.pending, change)
	c.bytes += len(change.Content)
	if c.bytes < maxBatchBytes && len(c.pending) < maxBatchFiles {
		return nil
	}
	return c.flush()
}

func (c *creation) flush() error {
	if err := c.locked.admit(c.tree, c.pending); err != nil {
		return err
	}
	ledger := newLedger(c.locked, c.tree)
	results, err := ledger.enter(c.pending, c.tree.Apply(c.locked.ctx, c.pending))
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
	c.pending, c.bytes = nil, 0
	return nil
}

// commit makes the first version.
func (c *creation) commit(commit vcs.Commit) error {
	_, _, err := c.locked.deps.Repositories.Commit(c.locked.ctx, c.locked.id, c.locked.dated(commit))
	return err
}

// Remove deletes the project's tree and repository with all its history. It is
// idempotent: a tree or a repository that does not exist is no error. The rows of
// the cache go with the project's record.
func (p *Pipeline) Remove(ctx context.Context, project core.ID) error {
	locked, err := p.lock(ctx, project)
	if err != nil {
		return err
	}
	defer locked.release()
	return locked.remove()
}

// remove is Pipeline.Remove.
func (l *lockedProject) remove() error {
	l.fresh.drop(l.id)
	l.cache.listings.drop(l.id)
	l.editors.drop(l.id)
	return l.deps.Trees.Remove(l.ctx, l.id)
}
