package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// cache is the table of files, with the listings of recently used projects in memory.
type cache struct {
	store     storage.Store
	exclusive core.SoleProcess
	listings  *listings
}

func newCache(deps Deps) *cache {
	return &cache{store: deps.Store, exclusive: deps.Exclusive, listings: newListings(maxHeldEntries)}
}

// listing returns the rows of a project, from memory if their revision is current. It reads
// the revision before the rows, so that the rows are never older than their revision.
// unsettled says that the project is marked; it is false in an exclusive process.
func (c *cache) listing(ctx context.Context, project core.ID) (listing *Listing, unsettled bool, err error) {
	table := c.store.Tables().Files
	state, err := table.State(ctx, project)
	if err != nil {
		return nil, false, err
	}
	unsettled = state.Unsettled && !bool(c.exclusive)
	if held := c.listings.get(project); held != nil && held.revision == state.Revision {
		return held, unsettled, nil
	}
	entries, err := table.List(ctx, project)
	if err != nil {
		return nil, false, err
	}
	listing = &Listing{Entries: entries, revision: state.Revision}
	c.listings.put(project, listing)
	return listing, unsettled, nil
}

// rows returns the current rows of a project.
func (c *cache) rows(ctx context.Context, project core.ID) ([]core.FileEntry, error) {
	listing, _, err := c.listing(ctx, project)
	if err != nil {
		return nil, err
	}
	return listing.Entries, nil
}

// row returns the current row of a file, nil if it has none.
func (c *cache) row(ctx context.Context, at core.FileAt) (*core.FileEntry, error) {
	row, err := c.store.Tables().Files.ByPath(ctx, at)
	if core.IsCode(err, core.CodeNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &row, nil
}

// recentRow returns the row of a file from memory, of whatever revision, else the current
// one.
func (c *cache) recentRow(ctx context.Context, at core.FileAt) (*core.FileEntry, error) {
	if row := c.listings.entry(at); row != nil {
		return row, nil
	}
	return c.row(ctx, at)
}

// change changes the rows, write-through: it also updates the listing in memory, if that
// has the previous revision.
func (c *cache) change(ctx context.Context, project core.ID, delta storage.FileDelta) error {
	revision, err := c.store.Tables().Files.Apply(ctx, project, delta)
	if err != nil {
		return err
	}
	if held := c.listings.get(project); held != nil && held.revision == revision-1 {
		c.listings.put(project, &Listing{Entries: patched(held.Entries, delta), revision: revision})
	}
	return nil
}

// store changes the cache. The change also removes the project's mark, unless the mark must
// stay.
func (l *lockedProject) store(delta storage.FileDelta) error {
	if len(delta.Delete) == 0 && len(delta.Put) == 0 {
		return nil
	}
	if _, kept := l.marks.has(l.id); kept {
		delta.Unsettled = true
	}
	if err := l.cache.change(l.ctx, l.id, delta); err != nil {
		return err
	}
	if !delta.Unsettled {
		l.marks.drop(l.id)
	}
	return nil
}
