package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type connectors struct{ records records[core.Connector] }

func connectorsOf(session conn) records[core.Connector] {
	return records[core.Connector]{
		session: session,
		noun:    "connector",
		table:   func(s *database) *table[core.ID, core.Connector] { return &s.connectors },
		id:      func(c core.Connector) core.ID { return c.ID },
		copy: func(c core.Connector) core.Connector {
			c.HeaderNames, c.Sealed, c.Tools = slices.Clone(c.HeaderNames), slices.Clone(c.Sealed), slices.Clone(c.Tools)
			for i, tool := range c.Tools {
				c.Tools[i].Pinned, c.Tools[i].Offered = copyOf(tool.Pinned), copyOf(tool.Offered)
			}
			return c
		},
		pin: func(c *core.Connector, before core.Connector) {
			c.ID, c.WorkspaceID, c.CreatedBy, c.CreatedAt = before.ID, before.WorkspaceID, before.CreatedBy, before.CreatedAt
		},
		check: func(s *database, c core.Connector) error {
			if !s.workspaces.has(c.WorkspaceID) {
				return core.NotFound("workspace")
			}
			return nil
		},
	}
}

// Create implements storage.Connectors.
func (c connectors) Create(ctx context.Context, connector core.Connector) error {
	return c.records.create(ctx, connector)
}

// ByID implements storage.Connectors.
func (c connectors) ByID(ctx context.Context, id core.ID) (core.Connector, error) {
	return c.records.byID(ctx, id)
}

// List implements storage.Connectors.
func (c connectors) List(ctx context.Context, workspace core.ID) ([]core.Connector, error) {
	return c.records.list(ctx, func(connector core.Connector) bool { return connector.WorkspaceID == workspace }, func(a, b core.Connector) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.Connectors.
func (c connectors) Update(ctx context.Context, id core.ID, change func(*core.Connector) error) (core.Connector, error) {
	return c.records.update(ctx, id, change)
}

// Delete implements storage.Connectors.
func (c connectors) Delete(ctx context.Context, id core.ID) error {
	return c.records.delete(ctx, id, func(state *database, id core.ID) {
		state.connectors.drop(state, func(connector core.Connector) bool { return connector.ID == id })
	})
}
