package datawire

import (
	"context"
	"io"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Schema implements backend.Engine.
func (c *Client) Schema(ctx context.Context, place backend.Place) (backend.Schema, error) {
	out, err := c.call(ctx, "schema", call{Place: place})
	return out.Schema, err
}

// Check implements backend.Engine.
func (c *Client) Check(ctx context.Context, place backend.Place, schema backend.Schema) error {
	_, err := c.call(ctx, "check", call{Place: place, Schema: schema})
	return err
}

// Apply implements backend.Engine.
func (c *Client) Apply(ctx context.Context, place backend.Place, schema backend.Schema) error {
	_, err := c.call(ctx, "apply", call{Place: place, Schema: schema})
	return err
}

// Weigh implements backend.Engine.
func (c *Client) Weigh(ctx context.Context, place backend.Place, changes []backend.Change) ([]int64, error) {
	out, err := c.call(ctx, "weigh", call{Place: place, Changes: changes})
	if err == nil && len(out.Counts) != len(changes) {
		err = core.Errorf(core.CodeUnavailable, "the backend's answer has %d counts for %d changes", len(out.Counts), len(changes))
	}
	return out.Counts, err
}

// List implements backend.Lists.
func (c *Client) List(ctx context.Context, place backend.Place, collection string, query backend.RecordQuery) (backend.RecordPage, error) {
	out, err := c.call(ctx, "list", call{Place: place, Collection: collection, List: query})
	return out.Page, err
}

// Query implements backend.Queries.
func (c *Client) Query(ctx context.Context, place backend.Place, sql string) (backend.Table, error) {
	out, err := c.call(ctx, "query", call{Place: place, SQL: sql})
	return out.Table, err
}

// Stats implements backend.Engine.
func (c *Client) Stats(ctx context.Context, place backend.Place) (backend.Stats, error) {
	out, err := c.call(ctx, "stats", call{Place: place})
	found := out.Stats.Stats
	found.Collections = out.Stats.ByCollection
	return found, err
}

// Remove implements backend.Engine.
func (c *Client) Remove(ctx context.Context, place backend.Place) error {
	_, err := c.call(ctx, "remove", call{Place: place})
	return err
}

// Snapshot implements backend.Snapshots.
func (c *Client) Snapshot(ctx context.Context, place backend.Place, id core.ID) (int64, error) {
	out, err := c.call(ctx, "snapshot", call{Place: place, ID: id})
	return out.Bytes, err
}

// Restore implements backend.Snapshots.
func (c *Client) Restore(ctx context.Context, place backend.Place, id core.ID) error {
	_, err := c.call(ctx, "restore", call{Place: place, ID: id})
	return err
}

// Forget implements backend.Snapshots.
func (c *Client) Forget(ctx context.Context, place backend.Place, id core.ID) error {
	_, err := c.call(ctx, "forget", call{Place: place, ID: id})
	return err
}

// Copy implements backend.Snapshots.
func (c *Client) Copy(ctx context.Context, from, to backend.Place) error {
	_, err := c.call(ctx, "copy", call{Place: from, To: to})
	return err
}

// Stage implements backend.Switches.
func (c *Client) Stage(ctx context.Context, place backend.Place, schema backend.Schema, change backend.Switch) error {
	_, err := c.call(ctx, "stage", call{Place: place, Schema: schema, Switch: change})
	return err
}

// Staged implements backend.Switches.
func (c *Client) Staged(ctx context.Context, place backend.Place) (backend.Switch, error) {
	out, err := c.call(ctx, "staged", call{Place: place})
	return out.Switch, err
}

// Settle implements backend.Switches.
func (c *Client) Settle(ctx context.Context, place backend.Place, keep bool) error {
	_, err := c.call(ctx, "settle", call{Place: place, Keep: keep})
	return err
}

// Export implements backend.Snapshots.
func (c *Client) Export(ctx context.Context, place backend.Place, to io.Writer) error {
	return c.stream(ctx, "export", call{Place: place}, to)
}

// Insert implements backend.Transfers.
func (c *Client) Insert(ctx context.Context, place backend.Place, collection string, batch backend.Insertion) (int, error) {
	out, err := c.call(ctx, "import", call{Place: place, Collection: collection, Insertion: batch})
	return out.Changed, err
}

// Dump implements backend.Transfers.
func (c *Client) Dump(ctx context.Context, place backend.Place, collection string, to io.Writer) error {
	return c.stream(ctx, "dump", call{Place: place, Collection: collection}, to)
}

// Load implements backend.LoadGauge.
func (c *Client) Load(ctx context.Context) (backend.Load, error) {
	out, err := c.call(ctx, "load", call{})
	return out.Load, err
}

// Hold implements backend.Holder.
func (c *Client) Hold(ctx context.Context, project core.ID, token int64) error {
	_, err := c.call(ctx, "hold", call{Place: backend.Place{Project: project}, Token: token})
	return err
}

// Leave implements backend.Holder.
func (c *Client) Leave(ctx context.Context, project core.ID) error {
	_, err := c.call(ctx, "leave", call{Place: backend.Place{Project: project}})
	return err
}
