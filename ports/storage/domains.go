package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Domains are the projects' claims of names. They are deleted with their project. A
// project claims a name once, and at most one claim of a name is active, also under
// parallel calls: a second active one has code core.CodeDomainTaken, a second claim of
// the project core.CodeConflict.
type Domains interface {
	// Create stores a claim.
	Create(ctx context.Context, domain core.Domain) error
	ByID(ctx context.Context, id core.ID) (core.Domain, error)
	// Active returns the active claim of a name.
	Active(ctx context.Context, name string) (core.Domain, error)
	// List returns a project's claims, the oldest first.
	List(ctx context.Context, project core.ID) ([]core.Domain, error)
	// Update works like Users.Update. ID, ProjectID, Name, Token and CreatedAt cannot
	// change.
	Update(ctx context.Context, id core.ID, change func(*core.Domain) error) (core.Domain, error)
	Delete(ctx context.Context, id core.ID) error
	// Claim takes a lease on the claim whose CheckAt has been due for longest at now:
	// it sets CheckAt to until and returns the claim. It returns core.CodeNotFound if
	// none is due. No two callers get the same one.
	Claim(ctx context.Context, now, until core.Time) (core.Domain, error)
}
