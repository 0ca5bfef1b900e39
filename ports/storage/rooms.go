package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Rooms are what is kept of the projects' rooms, one each: a log of updates that its
// owner puts together again after a few hundred. An owner is a process; at most one of
// them writes a room, under any number of parallel calls. A room goes with its project.
type Rooms interface {
	// Claim makes owner the one that may write the project's room until a moment, and
	// returns what is stored: for a first claim nothing, with epoch 1. now is the
	// caller's present; a claim that ended before it is over. While the claim of
	// another lasts, the code is core.CodeConflict. The owner itself may claim again.
	Claim(ctx context.Context, project, owner core.ID, now, until core.Time) (core.RoomState, error)
	// Renew makes the claims that are still the owner's last until a moment, those too
	// that ended and that nobody else has taken, and returns their projects in
	// ascending order.
	Renew(ctx context.Context, owner core.ID, until core.Time) ([]core.ID, error)
	// Owner returns whose claim of the project's room lasts now, "" where there is none.
	Owner(ctx context.Context, project core.ID, now core.Time) (core.ID, error)
	// Append puts an update behind the others (an empty one: none) and replaces the
	// bases, in one step. It has code core.CodeConflict when owner does not hold the
	// room, be it that there is none; a claim that ended holds until somebody else
	// claims. What core.CheckRoom refuses has that code.
	Append(ctx context.Context, project, owner core.ID, update []byte, bases map[core.ProjectPath]*string) error
	// Replace puts one update (an empty one: none) in the place of all, replaces the
	// bases, and with newEpoch counts up the epoch, in one step. It fails as Append.
	Replace(ctx context.Context, project, owner core.ID, update []byte, bases map[core.ProjectPath]*string, newEpoch bool) error
	// Release ends owner's claim. It does nothing when owner does not hold the room.
	Release(ctx context.Context, project, owner core.ID) error
}
