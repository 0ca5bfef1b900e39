package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Remove deletes the project's tree and repository with all its history. It is
// idempotent: a tree or a repository that does not exist is no error. The rows of
// the cache go with the project's record.
func (l Lifecycle) Remove(ctx context.Context, project core.ID) error {
	locked, err := l.projects.lock(ctx, project)
	if err != nil {
		return err
	}
	defer locked.release()
	return locked.remove()
}

// remove is Lifecycle.Remove.
func (l *lockedProject) remove() error {
	l.fresh.drop(l.id)
	l.cache.listings.drop(l.id)
	l.editors.drop(l.id)
	return l.deps.Trees.Remove(l.ctx, l.id)
}

// RemoveUntouched is Remove for a tree that nobody has worked with and that belongs to
// nobody, as forsaken says under the project's lock. It reports whether it removed the
// tree; any other tree stays.
func (l Lifecycle) RemoveUntouched(ctx context.Context, project core.ID, forsaken func(context.Context) (bool, error)) (bool, error) {
	locked, err := l.projects.lock(ctx, project)
	if err != nil {
		return false, err
	}
	defer locked.release()
	if is, err := forsaken(locked.ctx); err != nil || !is {
		return false, err
	}
	if is, err := locked.isUntouched(); err != nil || !is {
		return false, err
	}
	err = locked.remove()
	return err == nil, err
}

// isUntouched reports whether a tree holds only what Create or Duplicate put there.
// Either it has one version at most, and disk and index equal it. Or its versions are
// another project's, nobody has begun to work with them, and the disk equals the
// index.
func (l *lockedProject) isUntouched() (bool, error) {
	tree, err := l.openTree()
	if err != nil {
		return false, err
	}
	versions, err := l.deps.Repositories.Log(l.ctx, l.id, "", 2)
	if core.IsCode(err, core.CodeNotFound) {
		return isEmpty(l.ctx, tree)
	}
	if err != nil {
		return false, err
	}
	if len(versions) == 0 {
		return true, nil
	}
	duplicated, err := l.deps.Repositories.Duplicated(l.ctx, l.id)
	if err != nil || len(versions) > 1 && !duplicated {
		return false, err
	}
	same, err := l.equalsIndex(tree)
	if err != nil || !same || duplicated {
		return same, err
	}
	return l.isCommitted()
}

// equalsIndex reports whether the tree equals the index.
func (l *lockedProject) equalsIndex(tree worktree.Tree) (bool, error) {
	index, err := l.deps.Repositories.Staged(l.ctx, l.id)
	if err != nil {
		return false, err
	}
	staged := make(map[core.ProjectPath]vcs.StagedFile, len(index))
	for _, file := range index {
		staged[file.Path] = file
	}
	same := true
	err = tree.Walk(l.ctx, func(info worktree.Info) error {
		same = same && isStaged(staged[info.Path], info)
		delete(staged, info.Path)
		return nil
	})
	for path := range staged {
		same = same && path.Generated()
	}
	return same && err == nil, err
}

// isCommitted reports whether the index equals the last version. It finds out by
// committing, which loses nothing.
func (l *lockedProject) isCommitted() (bool, error) {
	_, changed, err := l.deps.Repositories.Commit(l.ctx, l.id, l.dated(vcs.Commit{Message: "Keep what was staged", Author: core.Author{Kind: core.AuthorAgent, Name: "Atelier"}}))
	return !changed, err
}

func isEmpty(ctx context.Context, tree worktree.Tree) (bool, error) {
	empty := true
	err := tree.Walk(ctx, func(worktree.Info) error { empty = false; return nil })
	return empty, err
}
