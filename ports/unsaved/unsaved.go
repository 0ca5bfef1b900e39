// Package unsaved is the port to the rooms, in any process, that hold a project's edits
// that are not on the disk yet.
package unsaved

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Bound is how long a save may take before its callers get an error.
const Bound = 2 * time.Second

// Registry connects rooms with unsaved edits to readers, which have the edits saved first.
// One process at a time holds a project's edits: the owner of the current claim of the room
// (storage.Rooms). Readers ask that process.
type Registry interface {
	// Owner names this process in its claims. It is unique and does not change while the
	// process lives.
	Owner() core.ID
	// Keep registers this process for a project's edits, until withdraw is called. The
	// caller has claimed the project's room for Owner. save writes all edits and returns
	// when they are on the disk; its context ends after Bound. It may be called at any
	// time, also concurrently, until withdraw returns. withdraw waits for running calls, so
	// save must not wait for it; it is idempotent.
	//
	// The error has code core.CodeUnavailable if other processes cannot reach this one, and
	// is ctx's if ctx has ended; then nothing is registered.
	Keep(ctx context.Context, project core.ID, save func(context.Context) error) (withdraw func(), err error)
	// Save asks the owner of the project's room to write its edits. It returns nil once all
	// edits from before the call are on the disk, if nobody has claimed the room, and if
	// the owner is dead or disconnected: a disconnected owner saves at that moment by
	// itself. The error has code core.CodeUnavailable if saving fails, or if the owner
	// cannot be found or reached, or does not answer within Bound; it is ctx's if ctx ends
	// first. The end of ctx does not abort a save that has begun.
	Save(ctx context.Context, project core.ID) error
}
