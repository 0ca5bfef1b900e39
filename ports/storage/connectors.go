package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Connectors are deleted with their workspace.
type Connectors interface {
	Create(ctx context.Context, connector core.Connector) error
	ByID(ctx context.Context, id core.ID) (core.Connector, error)
	// List returns a workspace's connectors, the oldest first.
	List(ctx context.Context, workspace core.ID) ([]core.Connector, error)
	// Update works like Users.Update. ID, WorkspaceID, CreatedBy and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Connector) error) (core.Connector, error)
	Delete(ctx context.Context, id core.ID) error
}
