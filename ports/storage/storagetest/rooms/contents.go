package rooms

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func roomContentClauses() []clause {
	return []clause{
		{"updates come back in the order in which they were appended", roomOrder},
		{"one update takes the place of all, and the epoch counts up when it is to", roomReplaced},
		{"bases come back as they were stored, odd texts and missing files too", roomBases},
		{"content that is too large for a room is refused", roomTooLarge},
		{"an update of the largest size comes back", roomLargest},
		{"a room goes with its project", roomGoes},
		{"the document that a room had before is kept by its owner, and goes with the project", roomFormer},
		{"rooms go in and come out as copies", roomCopies},
		{"a rollback leaves a room as it was", roomRollsBack},
		{"no call on rooms outlives its context", roomsEnded},
	}
}

func roomUpdates(updates ...string) [][]byte {
	var all [][]byte
	for _, update := range updates {
		all = append(all, []byte(update))
	}
	return all
}

func basesOf(path, text string) map[core.ProjectPath]*string {
	return map[core.ProjectPath]*string{core.MustPath(path): &text}
}

func roomOrder(s testCase) {
	room, other := s.room(), s.room()
	var want []string
	for i := range 300 {
		update := fmt.Sprintf("%d\x00'?\\\xff", i)
		room.append(update, nil)
		want = append(want, update)
	}
	room.append("", basesOf("a", "text"))
	s.Must(s.Rooms.Append(s.Context(), room.project, room.owner, nil, nil))
	other.append("foreign", nil)
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates(want...)})
}

func roomReplaced(s testCase) {
	room, other := s.room(), s.room()
	other.append("kept", nil)
	replace := func(update []byte, bases map[core.ProjectPath]*string, newEpoch bool) {
		s.Must(s.Rooms.Replace(s.Context(), room.project, room.owner, update, bases, newEpoch))
	}
	room.append("1", basesOf("a", "1"))
	room.append("2", basesOf("a", "2"))
	replace([]byte("1+2"), basesOf("b", "3"), false)
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("1+2"), Bases: basesOf("b", "3")})
	room.append("4", nil)
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("1+2", "4")})
	replace([]byte("anew"), nil, true)
	room.append("5", nil)
	room.wantStored(core.RoomState{Epoch: 2, Updates: roomUpdates("anew", "5")})
	replace(nil, nil, true)
	room.wantStored(core.RoomState{Epoch: 3})
	other.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("kept")})
}

func roomBases(s testCase) {
	room := s.room()
	want := map[core.ProjectPath]*string{core.MustPath("gone/東京's.txt"): nil}
	for i, text := range []string{
		"", "plain", "a\x00b", "\ufeffbom", "crlf\r\n", "it's ?0 ?bases \\' $1 :name", `{"a": null}`, "null",
		"\u2028\u2029<script>&amp;", "\ufffd", "👩‍👩‍👧 e\u0301", "\x01\x7f\u0085", "'; DROP TABLE rooms; --",
	} {
		want[core.MustPath(fmt.Sprintf("odd/it's %d &.txt", i))] = &text
	}
	room.append("1", want)
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("1"), Bases: want})
	s.Must(s.Rooms.Replace(s.Context(), room.project, room.owner, []byte("2"), want, false))
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("2"), Bases: want})
	for path, text := range map[core.ProjectPath]string{core.MustPath("a"): fixture.Unstorable()[1], {}: "text"} {
		refused := map[core.ProjectPath]*string{path: &text}
		s.WantCode(s.Rooms.Append(s.Context(), room.project, room.owner, nil, refused), core.CodeValidationFailed)
		s.WantCode(s.Rooms.Replace(s.Context(), room.project, room.owner, nil, refused, true), core.CodeValidationFailed)
	}
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("2"), Bases: want})
	room.append("", nil)
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("2")})
}

func roomTooLarge(s testCase) {
	room := s.room()
	room.append("kept", nil)
	half := strings.Repeat("<", core.MaxRoomBasesBytes/2)
	for _, refused := range []struct {
		update []byte
		bases  map[core.ProjectPath]*string
	}{
		{make([]byte, core.MaxRoomUpdateBytes+1), nil},
		{nil, map[core.ProjectPath]*string{core.MustPath("a"): &half, core.MustPath("b"): &half}},
	} {
		s.WantCode(s.Rooms.Append(s.Context(), room.project, room.owner, refused.update, refused.bases), core.CodePayloadTooLarge)
		s.WantCode(s.Rooms.Replace(s.Context(), room.project, room.owner, refused.update, refused.bases, true), core.CodePayloadTooLarge)
	}
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("kept")})
}

func roomLargest(s testCase) {
	room := s.room()
	update := bytes.Repeat([]byte("\x00'\xff?"), core.MaxRoomUpdateBytes/4)
	bases := basesOf("a", strings.Repeat("<", 1<<20))
	s.Must(s.Rooms.Append(s.Context(), room.project, room.owner, update, bases))
	got := room.claim(room.owner, 1, 100)
	if len(got.Updates) != 1 || !bytes.Equal(got.Updates[0], update) {
		s.Errorf("got %d updates, want the one of %d bytes", len(got.Updates), len(update))
	}
	if base := got.Bases[core.MustPath("a")]; base == nil || *base != *bases[core.MustPath("a")] {
		s.Error("got another base, want the stored one")
	}
}

func roomFormer(s testCase) {
	room := s.room()
	former := func(wantState []byte, code core.Code) {
		s.Helper()
		state, err := s.FormerRooms.ByProject(s.Context(), room.project)
		if code != "" {
			s.WantCode(err, code)
			return
		}
		s.Want(state, err, wantState)
	}
	former(nil, core.CodeNotFound)
	s.WantCode(s.FormerRooms.Put(s.Context(), room.project, core.NewID(), []byte("not mine")), core.CodeConflict)
	s.WantCode(s.FormerRooms.Put(s.Context(), core.NewID(), room.owner, []byte("no room")), core.CodeConflict)
	s.WantCode(s.FormerRooms.Put(s.Context(), room.project, room.owner, make([]byte, core.MaxRoomUpdateBytes+1)), core.CodePayloadTooLarge)
	former(nil, core.CodeNotFound)
	for _, state := range []string{"first", "\x00\xffsecond"} {
		s.Must(s.FormerRooms.Put(s.Context(), room.project, room.owner, []byte(state)))
		former([]byte(state), "")
	}
	room.append("update", nil)
	former([]byte("\x00\xffsecond"), "")
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("update")})
	s.Must(s.Projects.Delete(s.Context(), room.project))
	former(nil, core.CodeNotFound)
	_, err := s.FormerRooms.ByProject(s.Ended(), room.project)
	s.WantCode(err, core.CodeUnavailable)
}

func roomGoes(s testCase) {
	workspace, kept := s.Workspace(), s.room()
	kept.append("kept", nil)
	for _, remove := range []func(project core.ID) error{
		func(project core.ID) error { return s.Projects.Delete(s.Context(), project) },
		func(core.ID) error { return s.Workspaces.Delete(s.Context(), workspace.ID) },
	} {
		project := s.Project(workspace.ID)
		room := heldRoom{s, project.ID, core.NewID()}
		room.claim(room.owner, 1, 100)
		room.append("1", basesOf("a", "text"))
		s.Must(remove(project.ID))
		s.WantCode(s.Rooms.Append(s.Context(), project.ID, room.owner, []byte("2"), nil), core.CodeConflict)
		_, err := s.Rooms.Claim(s.Context(), project.ID, room.owner, 1, 100)
		s.WantCode(err, core.CodeNotFound)
		held, err := s.Rooms.Renew(s.Context(), room.owner, 500)
		s.Want(len(held), err, 0)
	}
	kept.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("kept")})
}

func roomCopies(s testCase) {
	room, update, text := s.room(), []byte("before"), "before"
	bases := map[core.ProjectPath]*string{core.MustPath("a"): &text}
	s.Must(s.Rooms.Append(s.Context(), room.project, room.owner, update, bases))
	copy(update, "after!")
	text = "after!"
	bases[core.MustPath("b")] = nil
	for range 2 {
		got := room.claim(room.owner, 1, 100)
		s.Want(got, nil, core.RoomState{Epoch: 1, Updates: roomUpdates("before"), Bases: basesOf("a", "before")})
		copy(got.Updates[0], "after!")
		*got.Bases[core.MustPath("a")] = "after!"
		got.Bases[core.MustPath("b")] = nil
	}
}

func roomRollsBack(s testCase) {
	room, other := s.room(), s.Project(s.Workspace().ID).ID
	room.append("kept", basesOf("a", "kept"))
	err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		state, err := in.Rooms.Claim(in.Ctx, other, room.owner, 1, 100)
		s.Want(state, err, core.RoomState{Epoch: 1})
		s.Must(in.Rooms.Append(in.Ctx, room.project, room.owner, []byte("doomed"), nil))
		s.Must(in.Rooms.Replace(in.Ctx, room.project, room.owner, []byte("doomed"), nil, true))
		s.WantCode(in.Rooms.Append(in.Ctx, room.project, core.NewID(), []byte("doomed"), nil), core.CodeConflict)
		_, err = in.Rooms.Claim(in.Ctx, core.NewID(), room.owner, 1, 100)
		s.WantCode(err, core.CodeNotFound)
		state, err = in.Rooms.Claim(in.Ctx, room.project, room.owner, 1, 5000)
		s.Want(state, err, core.RoomState{Epoch: 2, Updates: roomUpdates("doomed")})
		held, err := in.Rooms.Renew(in.Ctx, room.owner, 9000)
		s.Want(len(held), err, 2)
		s.Must(in.Rooms.Release(in.Ctx, room.project, room.owner))
		return fixture.ErrStop
	}))
	s.Want(err, nil, fixture.ErrStop)
	want := core.RoomState{Epoch: 1, Updates: roomUpdates("kept"), Bases: basesOf("a", "kept")}
	room.wantStored(want)
	s.Want(room.claim(core.NewID(), 101, 500), nil, want)
	held, err := s.Rooms.Renew(s.Context(), room.owner, 9000)
	s.Want(len(held), err, 0)
}

func roomsEnded(s testCase) {
	room := s.room()
	_, err := s.Rooms.Claim(s.Ended(), room.project, room.owner, 1, 500)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Rooms.Renew(s.Ended(), room.owner, 500)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.Rooms.Append(s.Ended(), room.project, room.owner, []byte("1"), nil), core.CodeUnavailable)
	s.WantCode(s.Rooms.Replace(s.Ended(), room.project, room.owner, []byte("1"), nil, true), core.CodeUnavailable)
	s.WantCode(s.Rooms.Release(s.Ended(), room.project, room.owner), core.CodeUnavailable)
	room.wantStored(core.RoomState{Epoch: 1})
}
