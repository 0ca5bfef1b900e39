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
	locked, err := p.lockSaved(ctx, from)
	if err != nil {
		return err
	}
	defer locked.release()
	if err := p.deps.Trees.Create(locked.ctx, to); err != nil {
		return err
	}
	entries, err := locked.copyTo(to)
	if err == nil {
		err = record(locked.ctx, entries)
	}
	if err != nil {
		p.removeLeftover(ctx, to)
	}
	return err
}

// copyTo fills a new tree and returns its rows. The versions come last: until then the
// tree counts as untouched and is removed if the process dies.
//
// The new project does not count as reconciled, because its repository has to learn
// that somebody begins to work with it: see vcs.Duplicates.
func (l *lockedProject) copyTo(to core.ID) ([]core.FileEntry, error) {
	if err := l.deps.Repositories.Init(l.ctx, to); err != nil {
		return nil, err
	}
	paths, err := l.pathsToCopy()
	if err != nil {
		return nil, err
	}
	if err := l.deps.Trees.Copy(l.ctx, l.id, to, paths); err != nil {
		return nil, err
	}
	if err := l.deps.Repositories.Duplicate(l.ctx, l.id, to); err != nil {
		return nil, err
	}
	return l.cache.rows(l.ctx, l.id)
}

// pathsToCopy returns the paths that are listed, and those that are staged without being
// listed.
func (l *lockedProject) pathsToCopy() ([]core.ProjectPath, error) {
	tree, err := l.openTree()
	if err != nil {
		return nil, err
	}
	var paths []core.ProjectPath
	err = tree.Walk(l.ctx, func(info worktree.Info) error { paths = append(paths, info.Path); return nil })
	if err != nil {
		return nil, err
	}
	staged, err := l.deps.Repositories.Staged(l.ctx, l.id)
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
