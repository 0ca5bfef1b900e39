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
	_, end, err := p.hold(ctx, project)
	if err != nil {
		return nil, err
	}
	defer end()
	// Nobody else waits for the lock of a project that is still being created.
	work, cancel := context.WithTimeout(ctx, arrivalTimeout)
	defer cancel()
	if err := p.deps.Trees.Create(work, project); err != nil {
		return nil, err
	}
	entries, err := p.populate(work, project, source, commit)
	if err != nil {
		// The cleanup must run even after a timeout.
		if leftover := p.deps.Trees.Remove(context.WithoutCancel(work), project); leftover != nil {
			p.deps.Log.ErrorContext(ctx, "tree of a project that was not made stays behind", "project", project, "error", leftover)
		}
		return nil, err
	}
	p.fresh.add(project)
	return entries, nil
}

func (p *Pipeline) populate(ctx context.Context, project core.ID, source Source, commit vcs.Commit) ([]core.FileEntry, error) {
	tree, err := p.open(ctx, project)
	if err != nil {
		return nil, err
	}
	if err := p.deps.Repositories.Init(ctx, project); err != nil {
		return nil, err
	}
	creation := &creation{pipeline: p, project: project, tree: tree}
	if err := creation.addAll(ctx, source); err != nil {
		return nil, err
	}
	if _, _, err := p.deps.Repositories.Commit(ctx, project, p.dated(commit)); err != nil {
		return nil, err
	}
	return creation.entries, nil
}

// maxBatchBytes and maxBatchFiles bound the files held in memory on their way into
// a tree or a repository.
const (
	maxBatchBytes = 16 << 20
	maxBatchFiles = 1000
)

// creation writes the files of a new project in batches.
type creation struct {
	pipeline *Pipeline
	project  core.ID
	tree     worktree.Tree
	pending  []core.FileChange
	bytes    int
	entries  []core.FileEntry
}

func (c *creation) addAll(ctx context.Context, source Source) error {
	err := source(ctx, func(path core.ProjectPath, content []byte) error {
		return c.add(ctx, core.FileChange{Op: core.OpWrite, Path: path, Content: content})
	})
	if err != nil {
		return err
	}
	return c.flush(ctx)
}

func (c *creation) add(ctx context.Context, change core.FileChange) error {
	c.pending = append(c.pending, change)
	c.bytes += len(change.Content)
	if c.bytes < maxBatchBytes && len(c.pending) < maxBatchFiles {
		return nil
	}
	return c.flush(ctx)
}

func (c *creation) flush(ctx context.Context) error {
	if err := c.pipeline.admit(ctx, c.tree, c.project, c.pending); err != nil {
		return err
	}
	ledger := newLedger(ctx, c.tree, nil)
	results, err := ledger.enter(c.pending, c.tree.Apply(ctx, c.pending))
	if err != nil {
		return err
	}
	for _, result := range results {
		if result.Err != nil {
			return result.Err
		}
	}
	if err := c.pipeline.deps.Repositories.Stage(ctx, c.project, ledger.staged); err != nil {
		return err
	}
	c.entries = append(c.entries, ledger.delta().Put...)
	c.pending, c.bytes = nil, 0
	return nil
}

// Remove deletes the project's tree and repository with all its history. It is
// idempotent: a tree or a repository that does not exist is no error. The rows of
// the cache go with the project's record.
func (p *Pipeline) Remove(ctx context.Context, project core.ID) error {
	work, end, err := p.hold(ctx, project)
	if err != nil {
		return err
	}
	defer end()
	return p.remove(work, project)
}

// remove is Remove for a caller that holds the lock.
func (p *Pipeline) remove(ctx context.Context, project core.ID) error {
	p.fresh.drop(project)
	p.cache.listings.drop(project)
	p.editors.drop(project)
	return p.deps.Trees.Remove(ctx, project)
}
