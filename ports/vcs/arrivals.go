package vcs

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Arrivals is the part of Repositories that takes over versions from elsewhere whose objects
// are stored. The caller brings tree and index in step with them. Arrive leaves a
// write-ahead note, so that after a crash before Settle the next touch continues.
type Arrivals interface {
	// Arriving returns the noted arrival that is not settled, if there is one.
	Arriving(ctx context.Context, project core.ID) (Arrival, bool, error)
	// Arrive notes that the project goes from its current version to another. The
	// note survives a power cut. It returns core.CodeConflict if the current version
	// is not From, and core.CodeNotFound if there is no version To.
	Arrive(ctx context.Context, project core.ID, arrival Arrival) error
	// Settle makes To the project's version and removes the note. If the project's
	// version is no longer From, it keeps that, and Settle removes the note and
	// returns core.CodeConflict.
	Settle(ctx context.Context, project core.ID, arrival Arrival) error
}

// Arrival is a project's move from one version to another. From is "" if there is
// none yet.
type Arrival struct{ From, To string }
