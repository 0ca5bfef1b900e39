package sharedbackend

import (
	"context"
	"io"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Schema implements backend.Engine.
func (e *Engine) Schema(ctx context.Context, place backend.Place) (found backend.Schema, err error) {
	err = e.do(ctx, place.Project, func(at datawire.Engine) (err error) {
		found, err = at.Schema(ctx, place)
		return err
	})
	return found, err
}

// Check implements backend.Engine.
func (e *Engine) Check(ctx context.Context, place backend.Place, schema backend.Schema) error {
	return e.do(ctx, place.Project, func(at datawire.Engine) error { return at.Check(ctx, place, schema) })
}

// Apply implements backend.Engine.
func (e *Engine) Apply(ctx context.Context, place backend.Place, schema backend.Schema) error {
	return e.do(ctx, place.Project, func(at datawire.Engine) error { return at.Apply(ctx, place, schema) })
}

// Weigh implements backend.Engine.
func (e *Engine) Weigh(ctx context.Context, place backend.Place, changes []backend.Change) (found []int64, err error) {
	err = e.do(ctx, place.Project, func(at datawire.Engine) (err error) {
		found, err = at.Weigh(ctx, place, changes)
		return err
	})
	return found, err
}

// Stats implements backend.Engine.
func (e *Engine) Stats(ctx context.Context, place backend.Place) (found backend.Stats, err error) {
	err = e.do(ctx, place.Project, func(at datawire.Engine) (err error) {
		found, err = at.Stats(ctx, place)
		return err
	})
	return found, err
}

// List implements backend.Lists.
func (e *Engine) List(ctx context.Context, place backend.Place, collection string, query backend.RecordQuery) (found backend.RecordPage, err error) {
	err = e.do(ctx, place.Project, func(at datawire.Engine) (err error) {
		found, err = at.List(ctx, place, collection, query)
		return err
	})
	return found, err
}

// Query implements backend.Queries.
func (e *Engine) Query(ctx context.Context, place backend.Place, sql string) (found backend.Table, err error) {
	err = e.do(ctx, place.Project, func(at datawire.Engine) (err error) {
		found, err = at.Query(ctx, place, sql)
		return err
	})
	return found, err
}

// Snapshot implements backend.Snapshots.
func (e *Engine) Snapshot(ctx context.Context, place backend.Place, id core.ID) (found int64, err error) {
	err = e.do(ctx, place.Project, func(at datawire.Engine) (err error) {
		found, err = at.Snapshot(ctx, place, id)
		return err
	})
	return found, err
}

// Restore implements backend.Snapshots.
func (e *Engine) Restore(ctx context.Context, place backend.Place, id core.ID) error {
	return e.do(ctx, place.Project, func(at datawire.Engine) error { return at.Restore(ctx, place, id) })
}

// Forget implements backend.Snapshots.
func (e *Engine) Forget(ctx context.Context, place backend.Place, id core.ID) error {
	return e.do(ctx, place.Project, func(at datawire.Engine) error { return at.Forget(ctx, place, id) })
}

// Export implements backend.Snapshots.
func (e *Engine) Export(ctx context.Context, place backend.Place, to io.Writer) error {
	return e.do(ctx, place.Project, func(at datawire.Engine) error { return at.Export(ctx, place, to) })
}

// Stage implements backend.Switches.
func (e *Engine) Stage(ctx context.Context, place backend.Place, schema backend.Schema, change backend.Switch) error {
	return e.do(ctx, place.Project, func(at datawire.Engine) error { return at.Stage(ctx, place, schema, change) })
}

// Staged implements backend.Switches.
func (e *Engine) Staged(ctx context.Context, place backend.Place) (found backend.Switch, err error) {
	err = e.do(ctx, place.Project, func(at datawire.Engine) (err error) {
		found, err = at.Staged(ctx, place)
		return err
	})
	return found, err
}

// Settle implements backend.Switches.
func (e *Engine) Settle(ctx context.Context, place backend.Place, keep bool) error {
	return e.do(ctx, place.Project, func(at datawire.Engine) error { return at.Settle(ctx, place, keep) })
}

// Insert implements backend.Transfers.
func (e *Engine) Insert(ctx context.Context, place backend.Place, collection string, batch backend.Insertion) (changed int, err error) {
	err = e.do(ctx, place.Project, func(at datawire.Engine) (err error) {
		changed, err = at.Insert(ctx, place, collection, batch)
		return err
	})
	return changed, err
}

// Dump implements backend.Transfers.
func (e *Engine) Dump(ctx context.Context, place backend.Place, collection string, to io.Writer) error {
	return e.do(ctx, place.Project, func(at datawire.Engine) error { return at.Dump(ctx, place, collection, to) })
}
