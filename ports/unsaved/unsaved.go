// Package unsaved is the port to those who hold edits of a project that are not on the
// disk yet: its rooms, in whichever process they are.
package unsaved

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Bound is how long a save may take before those who wait for it are told that it
// failed.
const Bound = 2 * time.Second

// Registry is where rooms say that they hold edits that are not on the disk yet, and
// where readers have them saved first. One process at a time holds a project's edits: the
// one whose claim of the room lasts (storage.Rooms). The claim says whom to ask.
type Registry interface {
	// Owner names this process in its claims. It is the same for as long as the process
	// lives, and no other process has it.
	Owner() core.ID
	// Keep has this process answer for a project's edits, until withdraw is called. The
	// caller has claimed the project's room for Owner. save writes all edits and returns
	// when they are on the disk; its context ends after Bound. It may be called at any time
	// and by several goroutines at once, until withdraw returns: withdraw waits for the
	// calls that are under way, so save must not wait for it. Withdrawing again does
	// nothing.
	//
	// The error has code core.CodeUnavailable when other processes cannot ask this one,
	// and is ctx's when ctx has ended; then nothing is kept.
	Keep(ctx context.Context, project core.ID, save func(context.Context) error) (withdraw func(), err error)
	// Save has the owner of the project's room write its edits. It returns nil when those
	// that were there when it was called are on the disk, when nobody has claimed the room,
	// and when the owner is gone or cut off: one that is cut off saves at that moment. The
	// error has code core.CodeUnavailable when saving fails, the owner does not answer
	// within Bound, or it cannot be found out or asked; it is ctx's when ctx ends first. A
	// save that has begun is not cut off by the end of ctx.
	Save(ctx context.Context, project core.ID) error
}
