package dataworker

import (
	"context"
	"encoding/json"
	"io"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Schema implements backend.Engine.
func (e *Engine) Schema(ctx context.Context, place backend.Place) (backend.Schema, error) {
	out, err := e.calls.call(ctx, "schema", call{Place: place})
	return out.Schema, err
}

// Check implements backend.Engine.
func (e *Engine) Check(ctx context.Context, place backend.Place, schema backend.Schema) error {
	_, err := e.calls.call(ctx, "check", call{Place: place, Schema: schema})
	return err
}

// Apply implements backend.Engine.
func (e *Engine) Apply(ctx context.Context, place backend.Place, schema backend.Schema) error {
	_, err := e.calls.call(ctx, "apply", call{Place: place, Schema: schema})
	return err
}

// Weigh implements backend.Engine.
func (e *Engine) Weigh(ctx context.Context, place backend.Place, changes []backend.Change) ([]int64, error) {
	out, err := e.calls.call(ctx, "weigh", call{Place: place, Changes: changes})
	if err == nil && len(out.Counts) != len(changes) {
		err = core.Errorf(core.CodeUnavailable, "the backend's answer has %d counts for %d changes", len(out.Counts), len(changes))
	}
	return out.Counts, err
}

// Query implements backend.Queries.
func (e *Engine) Query(ctx context.Context, place backend.Place, sql string) (backend.Table, error) {
	out, err := e.calls.call(ctx, "query", call{Place: place, SQL: sql})
	return out.Table, err
}

// Stats implements backend.Engine.
func (e *Engine) Stats(ctx context.Context, place backend.Place) (backend.Stats, error) {
	out, err := e.calls.call(ctx, "stats", call{Place: place})
	found := out.Stats.Stats
	found.Collections = out.Stats.ByCollection
	return found, err
}

// Remove implements backend.Engine.
func (e *Engine) Remove(ctx context.Context, place backend.Place) error {
	_, err := e.calls.call(ctx, "remove", call{Place: place})
	return err
}

// Snapshot implements backend.Snapshots.
func (e *Engine) Snapshot(ctx context.Context, place backend.Place, id core.ID) (int64, error) {
	out, err := e.calls.call(ctx, "snapshot", call{Place: place, ID: id})
	return out.Bytes, err
}

// Restore implements backend.Snapshots.
func (e *Engine) Restore(ctx context.Context, place backend.Place, id core.ID) error {
	_, err := e.calls.call(ctx, "restore", call{Place: place, ID: id})
	return err
}

// Forget implements backend.Snapshots.
func (e *Engine) Forget(ctx context.Context, place backend.Place, id core.ID) error {
	_, err := e.calls.call(ctx, "forget", call{Place: place, ID: id})
	return err
}

// Copy implements backend.Snapshots.
func (e *Engine) Copy(ctx context.Context, from, to backend.Place) error {
	_, err := e.calls.call(ctx, "copy", call{Place: from, To: to})
	return err
}

// Stage implements backend.Switches.
func (e *Engine) Stage(ctx context.Context, place backend.Place, schema backend.Schema, change backend.Switch) error {
	_, err := e.calls.call(ctx, "stage", call{Place: place, Schema: schema, Switch: change})
	return err
}

// Staged implements backend.Switches.
func (e *Engine) Staged(ctx context.Context, place backend.Place) (backend.Switch, error) {
	out, err := e.calls.call(ctx, "staged", call{Place: place})
	return out.Switch, err
}

// Settle implements backend.Switches.
func (e *Engine) Settle(ctx context.Context, place backend.Place, keep bool) error {
	_, err := e.calls.call(ctx, "settle", call{Place: place, Keep: keep})
	return err
}

// Export implements backend.Snapshots.
func (e *Engine) Export(ctx context.Context, place backend.Place, to io.Writer) error {
	return e.calls.stream(ctx, "export", call{Place: place}, to)
}

// Insert implements backend.Transfers.
func (e *Engine) Insert(ctx context.Context, place backend.Place, collection string, records []json.RawMessage) error {
	_, err := e.calls.call(ctx, "insert", call{Place: place, Collection: collection, Records: records})
	return err
}

// Dump implements backend.Transfers.
func (e *Engine) Dump(ctx context.Context, place backend.Place, collection string, to io.Writer) error {
	return e.calls.stream(ctx, "dump", call{Place: place, Collection: collection}, to)
}
