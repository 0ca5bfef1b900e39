package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// RemoveUntouched is Remove for a tree that nobody has worked with and that belongs to
// nobody, as forsaken says under the project's lock. It reports whether it removed the
// tree; any other tree stays.
func (p *Pipeline) RemoveUntouched(ctx context.Context, project core.ID, forsaken func(context.Context) (bool, error)) (bool, error) {
	work, end, err := p.hold(ctx, project)
	if err != nil {
		return false, err
	}
	defer end()
	if is, err := forsaken(work); err != nil || !is {
		return false, err
	}
	if is, err := p.isUntouched(work, project); err != nil || !is {
		return false, err
	}
	err = p.remove(work, project)
	return err == nil, err
}

// isUntouched reports whether a tree holds only what Create or Duplicate put there.
// Either it has one version at most, and disk and index equal it. Or its versions are
// another project's, nobody has begun to work with them, and the disk equals the
// index.
func (p *Pipeline) isUntouched(work context.Context, project core.ID) (bool, error) {
	tree, err := p.open(work, project)
	if err != nil {
		return false, err
	}
	versions, err := p.deps.Repositories.Log(work, project, "", 2)
	if core.IsCode(err, core.CodeNotFound) {
		return isEmpty(work, tree)
	}
	if err != nil {
		return false, err
	}
	if len(versions) == 0 {
		return true, nil
	}
	duplicated, err := p.deps.Repositories.Duplicated(work, project)
	if err != nil || len(versions) > 1 && !duplicated {
		return false, err
	}
	same, err := p.isStaged(work, project, tree)
	if err != nil || !same || duplicated {
		return same, err
	}
	return p.isCommitted(work, project)
}

// isStaged reports whether the disk equals the index.
func (p *Pipeline) isStaged(ctx context.Context, project core.ID, tree worktree.Tree) (bool, error) {
	index, err := p.deps.Repositories.Staged(ctx, project)
	if err != nil {
		return false, err
	}
	staged := make(map[core.ProjectPath]vcs.StagedFile, len(index))
	for _, file := range index {
		staged[file.Path] = file
	}
	same := true
	err = tree.Walk(ctx, func(info worktree.Info) error {
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
func (p *Pipeline) isCommitted(ctx context.Context, project core.ID) (bool, error) {
	_, changed, err := p.deps.Repositories.Commit(ctx, project, p.dated(vcs.Commit{Message: "Keep what was staged", Author: core.Author{Kind: core.AuthorAgent, Name: "Atelier"}}))
	return !changed, err
}

func isEmpty(ctx context.Context, tree worktree.Tree) (bool, error) {
	empty := true
	err := tree.Walk(ctx, func(worktree.Info) error { empty = false; return nil })
	return empty, err
}
