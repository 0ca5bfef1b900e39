package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// PlatformProviders are the installation's AI providers, for all workspaces.
type PlatformProviders interface {
	// Create stores a provider. If it is the default, the others stop being it; Update does
	// the same. WorkspaceID is not stored.
	Create(ctx context.Context, provider core.PlatformProvider) error
	ByID(ctx context.Context, id core.ID) (core.PlatformProvider, error)
	// List returns all providers, the oldest first.
	List(ctx context.Context) ([]core.PlatformProvider, error)
	// Update works as Users.Update does.
	Update(ctx context.Context, id core.ID, change func(*core.PlatformProvider) error) (core.PlatformProvider, error)
	Delete(ctx context.Context, id core.ID) error
}
