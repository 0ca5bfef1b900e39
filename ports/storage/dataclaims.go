package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// DataClaims are the claims of processes on the data of projects' backends. At most one is in
// force for a project, also under parallel calls. They are independent of the projects' records.
type DataClaims interface {
	// Claim returns the claim of the project that is in force: another owner's that has not
	// ended before now, otherwise the given one with a new token, which is above all earlier
	// ones. An owner that claims what it holds gets a new token, too. Token of the given claim
	// does not count.
	Claim(ctx context.Context, claim core.DataClaim, now core.Time) (core.DataClaim, error)
	// Renew extends the owner's claims until a time, including ended ones that nobody else has
	// taken, and returns their projects in ascending order.
	Renew(ctx context.Context, owner core.ID, until core.Time) ([]core.ID, error)
	// Release ends the claim, if it is the owner's. The token stays.
	Release(ctx context.Context, project, owner core.ID) error
	// Forget ends the claim, if it is the owner's, with its token: nothing that could tell
	// owners apart is left of the data.
	Forget(ctx context.Context, project, owner core.ID) error
}
