package rooms

import (
	"github.com/atelierhq/atelier/core"
)

// heldRoom is a room and the owner that has claimed it until 100.
type heldRoom struct {
	testCase
	project, owner core.ID
}

func (s testCase) room() heldRoom {
	s.Helper()
	room := heldRoom{s, s.Project(s.Workspace().ID).ID, core.NewID()}
	s.Want(room.claim(room.owner, 1, 100), nil, core.RoomState{Epoch: 1})
	return room
}

func (r heldRoom) claim(owner core.ID, now, until core.Time) core.RoomState {
	r.Helper()
	state, err := r.Rooms.Claim(r.Context(), r.project, owner, now, until)
	r.Must(err)
	return state
}

func (r heldRoom) append(update string, bases map[core.ProjectPath]*string) {
	r.Helper()
	r.Must(r.Rooms.Append(r.Context(), r.project, r.owner, []byte(update), bases))
}

// wantStored compares the state that the owner finds with the expected one.
func (r heldRoom) wantStored(want core.RoomState) {
	r.Helper()
	r.Want(r.claim(r.owner, 1, 100), nil, want)
}
