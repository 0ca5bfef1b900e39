package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// SlugHolds are addresses of sites that were freed, and the workspaces for which they are
// kept a while: visitors still trust them. A hold goes with nothing, not even with its
// workspace.
type SlugHolds interface {
	// Hold keeps a slug for a workspace until a moment, in the place of the hold before.
	// What is no text has code core.CodeValidationFailed.
	Hold(ctx context.Context, slug string, workspace core.ID, until core.Time) error
	// Holder returns the workspace for which a slug is kept now, or core.CodeNotFound. A
	// hold that ends now lasts still.
	Holder(ctx context.Context, slug string, now core.Time) (core.ID, error)
}
