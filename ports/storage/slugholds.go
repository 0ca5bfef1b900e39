package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// SlugHolds are freed addresses of sites, with the workspaces for which they stay
// reserved a while, because visitors still trust them. Nothing deletes a hold, not even
// the deletion of its workspace.
type SlugHolds interface {
	// Hold reserves a slug for a workspace until a time, and replaces an earlier hold. A
	// slug that is not Storable has code core.CodeValidationFailed.
	Hold(ctx context.Context, slug string, workspace core.ID, until core.Time) error
	// Holder returns the workspace for which a slug is reserved at now, or
	// core.CodeNotFound. A hold that ends at now still counts.
	Holder(ctx context.Context, slug string, now core.Time) (core.ID, error)
}
