package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Rooms stores the projects' rooms, one each: a log of updates that its owner compacts
// now and then. An owner is a process; at most one of them can write a room, also under
// parallel calls. A room is deleted with its project.
type Rooms interface {
	// Claim makes owner the only writer of the project's room until a time, and returns
	// the stored state: for a first claim nothing, with epoch 1. now is the caller's
	// time; claims that ended before it have expired. While another's claim lasts, the
	// code is core.CodeConflict. The owner itself may claim again.
	Claim(ctx context.Context, project, owner core.ID, now, until core.Time) (core.RoomState, error)
	// Renew extends the owner's claims until a time, including expired ones that nobody
	// else has taken, and returns their projects in ascending order.
	Renew(ctx context.Context, owner core.ID, until core.Time) ([]core.ID, error)
	// Owner returns the owner of the current claim of the project's room, "" if there is
	// none.
	Owner(ctx context.Context, project core.ID, now core.Time) (core.ID, error)
	// Append atomically appends an update, unless it is empty, and replaces the bases.
	// It returns core.CodeConflict if owner does not have the claim of the room, or
	// there is no room; an expired claim counts until somebody else claims. Input that
	// core.CheckRoom refuses has the code of that.
	Append(ctx context.Context, project, owner core.ID, update []byte, bases map[core.ProjectPath]*string) error
	// Replace atomically replaces all updates by one, or by none if it is empty,
	// replaces the bases, and with newEpoch increments the epoch. It fails like Append.
	Replace(ctx context.Context, project, owner core.ID, update []byte, bases map[core.ProjectPath]*string, newEpoch bool) error
	// Release ends owner's claim. It does nothing if owner does not have the claim.
	Release(ctx context.Context, project, owner core.ID) error
}
