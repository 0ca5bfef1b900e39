package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// connectorRow keeps HeaderNames and Tools as JSON.
type connectorRow struct {
	bun.BaseModel `bun:"table:connectors,alias:cn"`
	core.Connector
}

func (r connectorRow) connector() core.Connector { return r.Connector }

type connectors struct{ session }

// Create implements storage.Connectors.
func (c connectors) Create(ctx context.Context, connector core.Connector) error {
	if err := storage.CheckText(connector); err != nil {
		return err
	}
	return insert(ctx, c.session, "connector", &connectorRow{Connector: connector})
}

// ByID implements storage.Connectors.
func (c connectors) ByID(ctx context.Context, id core.ID) (core.Connector, error) {
	row, err := find[connectorRow](ctx, c.session, "connector", "id", string(id))
	return row.connector(), err
}

// List implements storage.Connectors.
func (c connectors) List(ctx context.Context, workspace core.ID) ([]core.Connector, error) {
	rows, err := list[connectorRow](ctx, c.session, "workspace_id", string(workspace), "cn.created_at, cn.id")
	return each(rows, connectorRow.connector), err
}

// Update implements storage.Connectors.
func (c connectors) Update(ctx context.Context, id core.ID, change func(*core.Connector) error) (core.Connector, error) {
	row, err := update(ctx, c.session, "connector", id, func(row *connectorRow) error {
		before := row.Connector
		if err := change(&row.Connector); err != nil {
			return err
		}
		row.ID, row.WorkspaceID, row.CreatedBy, row.CreatedAt = before.ID, before.WorkspaceID, before.CreatedBy, before.CreatedAt
		return storage.CheckText(row.Connector)
	})
	return row.connector(), err
}

// Delete implements storage.Connectors.
func (c connectors) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, c.session, "connector", "connectors", id)
}
