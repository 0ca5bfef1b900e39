package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Duplicate makes the tree and the repository of a new project as copies of another's:
// the current files, staged ones included, and all versions with their ids. It leaves
// out build output and packages that nobody has staged. record gets the rows of the
// cache, to store them in the transaction that makes the project's record.
//
// Duplicate holds the lock of the copied project throughout, record included. So the
// copy is the project at one moment, and what record reads of it is not older than the
// files. On failure Duplicate removes the copy again.
func (p *Pipeline) Duplicate(ctx context.Context, from, to core.ID, record func(ctx context.Context, entries []core.FileEntry) error) error {
	work, end, err := p.begin(ctx, from)
	if err != nil {
		return err
	}
	defer end()
	if err := p.deps.Trees.Create(work, to); err != nil {
		return err
	}
	entries, err := p.copyTo(work, from, to)
	if err == nil {
		err = record(work, entries)
	}
	if err == nil {
		return nil
	}
	// The cleanup must run even after a timeout.
	if leftover := p.deps.Trees.Remove(context.WithoutCancel(ctx), to); leftover != nil {
		p.deps.Log.ErrorContext(ctx, "tree of a project that was not made stays behind", "project", to, "error", leftover)
	}
	return err
}

// copyTo fills a new tree and returns its rows. The versions come last: until then the
// tree counts as untouched and is removed if the process dies.
//
// The new project does not count as reconciled, because its repository has to learn
// that somebody begins to work with it: see vcs.Duplicates.
func (p *Pipeline) copyTo(ctx context.Context, from, to core.ID) ([]core.FileEntry, error) {
	if err := p.deps.Repositories.Init(ctx, to); err != nil {
		return nil, err
	}
	paths, err := p.worth(ctx, from)
	if err != nil {
		return nil, err
	}
	if err := p.deps.Trees.Copy(ctx, from, to, paths); err != nil {
		return nil, err
	}
	if err := p.deps.Repositories.Duplicate(ctx, from, to); err != nil {
		return nil, err
	}
	return p.cache.rows(ctx, from)
}

// worth returns the paths of a project to copy: those that are listed, and those that
// are staged without being listed.
func (p *Pipeline) worth(ctx context.Context, project core.ID) ([]core.ProjectPath, error) {
	tree, err := p.open(ctx, project)
	if err != nil {
		return nil, err
	}
	var paths []core.ProjectPath
	err = tree.Walk(ctx, func(info worktree.Info) error { paths = append(paths, info.Path); return nil })
	if err != nil {
		return nil, err
	}
	staged, err := p.deps.Repositories.Staged(ctx, project)
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
