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
	return p.create(ctx, project, func(c *creation) error {
		fetched, err := fetch(c.locked.ctx)
		if err != nil {
			return err
		}
		defer func() { _ = fetched.Close() }()
		return c.take(fetched, commit)
	})
}

// take fills the project with what was fetched.
func (c *creation) take(fetched vcs.Fetched, commit vcs.Commit) error {
	if err := fetched.Tree(); err != nil {
		return err
	}
	if err := fetched.Files(c.locked.ctx, c.add); err != nil {
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
func (c *creation) adopt(fetched vcs.Fetched) error {
	if err := fetched.Adopt(c.locked.ctx); err != nil {
		return err
	}
	return c.locked.deps.Repositories.Arrive(c.locked.ctx, c.locked.id, vcs.Arrival{To: fetched.Tip()})
}
