package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// CreditHolds are reservations of model calls that belong to no run. Beside those of running runs
// they count as Held in core.Funds, until they are released or expire. They are deleted with their
// workspace.
type CreditHolds interface {
	// Hold stores a reservation if allow returns nil, as Runs.Hold does. It sets the amount and
	// the payer from hold, and returns the stored one. Without the workspace it returns
	// core.CodeNotFound.
	Hold(ctx context.Context, reservation core.CreditHold, hold core.Hold, allow func(core.Funds) error) (core.CreditHold, error)
	// Release removes a reservation. It is idempotent.
	Release(ctx context.Context, id core.ID) error
}
