package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Domains are the projects' claims of names. They go with their project. A project
// claims a name once, and of all claims of a name one is active at most, under any
// number of parallel calls: a second active one has code core.CodeDomainTaken, a second
// claim of the project core.CodeConflict.
type Domains interface {
	// Create stores a claim.
	Create(ctx context.Context, domain core.Domain) error
	ByID(ctx context.Context, id core.ID) (core.Domain, error)
	// Active returns the active claim of a name.
	Active(ctx context.Context, name string) (core.Domain, error)
	// List returns a project's claims, the oldest first.
	List(ctx context.Context, project core.ID) ([]core.Domain, error)
	// Update works as Users.Update does. ID, ProjectID, Name, Token and CreatedAt
	// cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Domain) error) (core.Domain, error)
	Delete(ctx context.Context, id core.ID) error
	// Claim takes the claim whose CheckAt has been due for longest at now, sets that
	// to until, and returns it; core.CodeNotFound when none is due. No two callers
	// get the same one.
	Claim(ctx context.Context, now, until core.Time) (core.Domain, error)
}
