package vcs

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Arrivals takes versions that were made elsewhere and whose objects are stored, as
// part of Repositories. The caller brings tree and index in step with them: a crash
// between Arrive and Settle leaves a note, so that the next touch goes on.
type Arrivals interface {
	// Arriving returns the arrival that was noted and not settled, if there is one.
	Arriving(ctx context.Context, project core.ID) (Arrival, bool, error)
	// Arrive notes that the project goes from the version that it has to another. The
	// note survives a power cut. When the project has another version than From the
	// error has code core.CodeConflict; a version To that is not there has code
	// core.CodeNotFound.
	Arrive(ctx context.Context, project core.ID, arrival Arrival) error
	// Settle makes To the project's version and forgets the note. A project that has
	// another version than From by now keeps it: core.CodeConflict, and the note is
	// forgotten all the same.
	Settle(ctx context.Context, project core.ID, arrival Arrival) error
}

// Arrival is the way from one version of a project to another. From is "" when there
// is none yet.
type Arrival struct{ From, To string }
