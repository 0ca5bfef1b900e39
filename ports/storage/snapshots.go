package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Snapshots are the snapshots of the data of projects' backends. They are deleted with their
// project. An environment has at most one planned snapshot, also under parallel calls: a second
// one has code core.CodeConflict.
type Snapshots interface {
	// Create stores a snapshot.
	Create(ctx context.Context, snapshot core.DataSnapshot) error
	ByID(ctx context.Context, id core.ID) (core.DataSnapshot, error)
	// List returns the kept snapshots of an environment, the newest first.
	List(ctx context.Context, project core.ID, env core.DataEnv) ([]core.DataSnapshot, error)
	// Update works like Users.Update. Only Bytes, SchemaPrint, State and DueAt can
	// change.
	Update(ctx context.Context, id core.ID, change func(*core.DataSnapshot) error) (core.DataSnapshot, error)
	Delete(ctx context.Context, id core.ID) error
	// Claim takes a lease on the snapshot that has been due for longest at now: it sets DueAt
	// to until and returns the snapshot. It returns core.CodeNotFound if none is due. No two
	// callers get the same one.
	Claim(ctx context.Context, now, until core.Time) (core.DataSnapshot, error)
}
