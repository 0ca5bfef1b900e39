package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// CreateFetched is CreateFrom with the history that fetch brings from another
// repository. If a project cannot hold some older version, it takes the newest alone,
// as the version that commit describes. If no project can hold the newest, it returns
// the error of vcs.Fetched.Tree.
//
// The history becomes the project's with its first touch, which the caller makes once
// the project is recorded. Until then a crash must leave a tree that is recognisably
// nobody's.
func (p *Pipeline) CreateFetched(ctx context.Context, project core.ID, fetch func(context.Context) (vcs.Fetched, error), commit vcs.Commit) ([]core.FileEntry, error) {
	_, end, err := p.hold(ctx, project)
	if err != nil {
		return nil, err
	}
	defer end()
	work, cancel := context.WithTimeout(ctx, arrivalTimeout)
	defer cancel()
	if err := p.deps.Trees.Create(work, project); err != nil {
		return nil, err
	}
	entries, err := p.populateFetched(work, project, fetch, commit)
	if err != nil {
		if leftover := p.deps.Trees.Remove(context.WithoutCancel(work), project); leftover != nil {
			p.deps.Log.ErrorContext(ctx, "tree of a project that was not made stays behind", "project", project, "error", leftover)
		}
		return nil, err
	}
	return entries, nil
}

func (p *Pipeline) populateFetched(ctx context.Context, project core.ID, fetch func(context.Context) (vcs.Fetched, error), commit vcs.Commit) ([]core.FileEntry, error) {
	tree, err := p.open(ctx, project)
	if err != nil {
		return nil, err
	}
	if err := p.deps.Repositories.Init(ctx, project); err != nil {
		return nil, err
	}
	fetched, err := fetch(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = fetched.Close() }()
	if err := fetched.Tree(); err != nil {
		return nil, err
	}
	creation := &creation{pipeline: p, project: project, tree: tree}
	err = fetched.Files(ctx, func(change core.FileChange) error { return creation.add(ctx, change) })
	if err == nil {
		err = creation.flush(ctx)
	}
	if err != nil {
		return nil, err
	}
	if fetched.History() == nil {
		return creation.entries, p.note(ctx, project, fetched)
	}
	_, _, err = p.deps.Repositories.Commit(ctx, project, p.dated(commit))
	return creation.entries, err
}

// note stores the objects of a history, and a write-ahead note that it becomes the
// project's.
func (p *Pipeline) note(ctx context.Context, project core.ID, fetched vcs.Fetched) error {
	if err := fetched.Adopt(ctx); err != nil {
		return err
	}
	return p.deps.Repositories.Arrive(ctx, project, vcs.Arrival{To: fetched.Tip()})
}
