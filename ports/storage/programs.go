package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// ProgramClients are the programs that registered themselves.
type ProgramClients interface {
	// Create stores a client.
	Create(ctx context.Context, client core.ProgramClient) error
	ByID(ctx context.Context, id core.ID) (core.ProgramClient, error)
	// Use sets UsedAt, unless it is already later.
	Use(ctx context.Context, id core.ID, at core.Time) error
	// Unused counts the clients that were never used.
	Unused(ctx context.Context) (int, error)
	// Prune removes the clients that were never used and created before unused, and those that were
	// last used before used.
	Prune(ctx context.Context, unused, used core.Time) error
}

// ProgramGrants are people's permissions for programs. They are deleted with the user.
type ProgramGrants interface {
	// Create stores a grant. A FamilyHash or AccessHash in use has code core.CodeConflict.
	Create(ctx context.Context, grant core.ProgramGrant) error
	// ByHash returns the grant with a FamilyHash or AccessHash.
	ByHash(ctx context.Context, hash string) (core.ProgramGrant, error)
	// List returns a user's grants, the oldest first.
	List(ctx context.Context, user core.ID) ([]core.ProgramGrant, error)
	// Update works like Users.Update. ID, UserID, FamilyHash and CreatedAt cannot change. An
	// AccessHash in use has code core.CodeConflict.
	Update(ctx context.Context, id core.ID, change func(*core.ProgramGrant) error) (core.ProgramGrant, error)
	// Delete removes a grant of the user's; another user's is not found.
	Delete(ctx context.Context, user, id core.ID) (core.ProgramGrant, error)
	// DeleteOf removes all of a user's grants.
	DeleteOf(ctx context.Context, user core.ID) error
	// Prune removes the grants that expired before a time.
	Prune(ctx context.Context, before core.Time) error
}
