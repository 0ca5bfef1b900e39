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
