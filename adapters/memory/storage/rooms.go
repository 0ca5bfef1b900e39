package storage

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// storedRoom is a room. Without an owner nobody holds it. The bytes and texts of its
// state are immutable.
type storedRoom struct {
	owner core.ID
	until core.Time
	state core.RoomState
	// former is the document as it was before its texts were rewritten.
	former []byte
}

type rooms struct{ session conn }

// Claim implements storage.Rooms.
func (r rooms) Claim(ctx context.Context, project, owner core.ID, now, until core.Time) (state core.RoomState, err error) {
	if owner == "" || !storage.Storable(string(owner)) {
		return state, core.Errorf(core.CodeValidationFailed, "the owner of a room needs an id")
	}
	err = r.session.change(ctx, func(in *database) error {
		if !in.projects.has(project) {
			return core.NotFound("project")
		}
		room, found := in.rooms.rows[project]
		if !found {
			room.state.Epoch = 1
		}
		if room.owner != "" && room.owner != owner && room.until >= now {
			return core.Errorf(core.CodeConflict, "another process holds the room")
		}
		room.owner, room.until = owner, until
		in.rooms.edit(in)[project] = room
		state = copyRoom(room.state)
		return nil
	})
	return state, err
}

// Renew implements storage.Rooms.
func (r rooms) Renew(ctx context.Context, owner core.ID, until core.Time) ([]core.ID, error) {
	var held []core.ID
	err := r.session.change(ctx, func(in *database) error {
		for project, room := range in.rooms.rows {
			if owner != "" && room.owner == owner {
				room.until = until
				in.rooms.edit(in)[project] = room
				held = append(held, project)
			}
		}
		return nil
	})
	slices.Sort(held)
	return held, err
}

// Owner implements storage.Rooms.
func (r rooms) Owner(ctx context.Context, project core.ID, now core.Time) (core.ID, error) {
	state, err := r.session.view(ctx)
	if err != nil {
		return "", err
	}
	if room := state.rooms.rows[project]; room.until >= now {
		return room.owner, nil
	}
	return "", nil
}

// Append implements storage.Rooms.
func (r rooms) Append(ctx context.Context, project, owner core.ID, update []byte, bases map[core.ProjectPath]*string) error {
	return r.change(ctx, roomChange{project, owner, update, bases}, func(*core.RoomState) {})
}

// Replace implements storage.Rooms.
func (r rooms) Replace(ctx context.Context, project, owner core.ID, update []byte, bases map[core.ProjectPath]*string, newEpoch bool) error {
	return r.change(ctx, roomChange{project, owner, update, bases}, func(state *core.RoomState) {
		state.Updates = nil
		if newEpoch {
			state.Epoch++
		}
	})
}

// roomChange is a change that the owner of a room stores.
type roomChange struct {
	project, owner core.ID
	update         []byte
	bases          map[core.ProjectPath]*string
}

// change appends an update to those that before returns.
func (r rooms) change(ctx context.Context, change roomChange, before func(*core.RoomState)) error {
	if err := core.CheckRoom(change.update, change.bases); err != nil {
		return err
	}
	return r.session.change(ctx, func(in *database) error {
		room := in.rooms.rows[change.project]
		if change.owner == "" || room.owner != change.owner {
			return core.Errorf(core.CodeConflict, "this process does not hold the room")
		}
		before(&room.state)
		room.state.Bases = copyBases(change.bases)
		if len(change.update) > 0 {
			room.state.Updates = append(slices.Clip(room.state.Updates), slices.Clone(change.update))
		}
		in.rooms.edit(in)[change.project] = room
		return nil
	})
}

// Release implements storage.Rooms.
func (r rooms) Release(ctx context.Context, project, owner core.ID) error {
	return r.session.change(ctx, func(in *database) error {
		if room := in.rooms.rows[project]; owner != "" && room.owner == owner {
			room.owner, room.until = "", 0
			in.rooms.edit(in)[project] = room
		}
		return nil
	})
}

func copyRoom(state core.RoomState) core.RoomState {
	copied := core.RoomState{Epoch: state.Epoch, Bases: copyBases(state.Bases)}
	for _, update := range state.Updates {
		copied.Updates = append(copied.Updates, slices.Clone(update))
	}
	return copied
}

// copyBases returns nil if there are no bases.
func copyBases(bases map[core.ProjectPath]*string) map[core.ProjectPath]*string {
	if len(bases) == 0 {
		return nil
	}
	copied := make(map[core.ProjectPath]*string, len(bases))
	for path, base := range bases {
		copied[path] = copyOf(base)
	}
	return copied
}

type formerRooms struct{ session conn }

// Put implements storage.FormerRooms.
func (f formerRooms) Put(ctx context.Context, project, owner core.ID, former []byte) error {
	if err := core.CheckRoom(former, nil); err != nil {
		return err
	}
	return f.session.change(ctx, func(in *database) error {
		room := in.rooms.rows[project]
		if owner == "" || room.owner != owner {
			return core.Errorf(core.CodeConflict, "this process does not hold the room")
		}
		room.former = append([]byte{}, former...)
		in.rooms.edit(in)[project] = room
		return nil
	})
}

// ByProject implements storage.FormerRooms.
func (f formerRooms) ByProject(ctx context.Context, project core.ID) ([]byte, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return nil, err
	}
	room := state.rooms.rows[project]
	if room.former == nil {
		return nil, core.NotFound("former room")
	}
	return slices.Clone(room.former), nil
}
