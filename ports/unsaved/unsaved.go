// Package unsaved is the port to the register of those who hold edits of a project
// that are not on the disk yet, such as its rooms.
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
// where readers have them saved first.
type Registry interface {
	// Keep announces, until withdraw is called, that this process holds edits of a
	// project. save writes all of them and returns when they are on the disk; its
	// context ends after Bound. It may be called at any time and by several
	// goroutines at once, until withdraw returns: withdraw waits for the calls that
	// are under way, so save must not wait for it. Withdrawing again does nothing.
	//
	// Several may keep edits of one project, in one process or in many. The error
	// has code core.CodeUnavailable when readers in other processes cannot be told,
	// and is ctx's when ctx ends first; then nothing is kept. Keep heeds ctx only
	// until it returns.
	Keep(ctx context.Context, project core.ID, save func(context.Context) error) (withdraw func(), err error)
	// Save has everybody who keeps edits of the project write them. It returns nil
	// when those that were there when it was called are on the disk, or when nobody
	// keeps any, which is quickly found out. The error has code
	// core.CodeUnavailable when a keeper fails, does not answer within Bound, or
	// cannot be asked; it is ctx's when ctx ends first. A save that has begun is
	// not cut off by the end of ctx.
	Save(ctx context.Context, project core.ID) error
}
