package porttest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
)

func storageRoomClauses() []storageClause {
	return []storageClause{
		{"a first claim finds an empty room of epoch 1", roomBegins},
		{"of parallel claims of a room one wins", roomClaimsInParallel},
		{"a claim that lasts is refused to others, one that ended is taken over", roomTakenOver},
		{"only the owner of a room stores anything", roomRefused},
		{"an owner whose claim ended stores as long as nobody else has claimed", roomLate},
		{"updates come back in the order in which they were appended", roomOrder},
		{"one update takes the place of all, and the epoch counts up when it is to", roomReplaced},
		{"bases come back as they were stored, odd texts and missing files too", roomBases},
		{"what is larger than a room may store is refused", roomTooLarge},
		{"an update of the largest size comes back", roomLargest},
		{"renewing extends the owner's own claims", roomsRenewed},
		{"a room that is given back is free", roomReleased},
		{"a room is held while a claim of it lasts", roomIsHeld},
		{"a takeover that meets an append sees it or refuses it", roomTakeoverRaces},
		{"a room goes with its project", roomGoes},
		{"the document that a room had before is kept by its owner, and goes with the project", roomFormer},
		{"rooms go in and come out as copies", roomCopies},
		{"a rollback leaves a room as it was", roomRollsBack},
		{"no call on rooms outlives its context", roomsEnded},
	}
}

// heldRoom is a room and the owner that has claimed it until 100.
type heldRoom struct {
	*storageCase
	project, owner core.ID
}

func (s *storageCase) room() heldRoom {
	s.Helper()
	room := heldRoom{s, s.project(s.workspace().ID).ID, core.NewID()}
	s.want(room.claim(room.owner, 1, 100), nil, core.RoomState{Epoch: 1})
	return room
}

func (r heldRoom) claim(owner core.ID, now, until core.Time) core.RoomState {
	r.Helper()
	state, err := r.Rooms.Claim(r.Context(), r.project, owner, now, until)
	r.must(err)
	return state
}

func (r heldRoom) append(update string, bases map[core.ProjectPath]*string) {
	r.Helper()
	r.must(r.Rooms.Append(r.Context(), r.project, r.owner, []byte(update), bases))
}

// wantStored holds what the owner finds to the expectation.
func (r heldRoom) wantStored(want core.RoomState) {
	r.Helper()
	r.want(r.claim(r.owner, 1, 100), nil, want)
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

func roomBegins(s *storageCase) {
	room, owner := s.room(), core.NewID()
	room.wantStored(core.RoomState{Epoch: 1})
	for _, id := range []core.ID{core.NewID(), core.ID(unstorable[0])} {
		_, err := s.Rooms.Claim(s.Context(), id, owner, 1, 100)
		s.wantCode(err, core.CodeNotFound)
	}
	for _, id := range []core.ID{"", core.ID(unstorable[0]), core.ID(unstorable[1])} {
		_, err := s.Rooms.Claim(s.Context(), room.project, id, 200, 300)
		s.wantCode(err, core.CodeValidationFailed)
	}
}

func roomClaimsInParallel(s *storageCase) {
	fresh, lapsed := s.project(s.workspace().ID).ID, s.room()
	lapsed.append("kept", nil)
	for project, want := range map[core.ID]core.RoomState{
		fresh:          {Epoch: 1},
		lapsed.project: {Epoch: 1, Updates: roomUpdates("kept")},
	} {
		var won atomic.Int32
		together(16, func(int) {
			state, err := s.Rooms.Claim(s.Context(), project, core.NewID(), 200, 300)
			if err != nil {
				s.wantCode(err, core.CodeConflict)
				return
			}
			won.Add(1)
			s.want(state, nil, want)
		})
		s.want(won.Load(), nil, int32(1))
	}
}

func roomTakenOver(s *storageCase) {
	room, next := s.room(), core.NewID()
	room.append("first", basesOf("a", "text"))
	for _, now := range []core.Time{1, 99, 100} {
		_, err := s.Rooms.Claim(s.Context(), room.project, next, now, 500)
		s.wantCode(err, core.CodeConflict)
	}
	want := core.RoomState{Epoch: 1, Updates: roomUpdates("first"), Bases: basesOf("a", "text")}
	s.want(room.claim(next, 101, 500), nil, want)
	_, err := s.Rooms.Claim(s.Context(), room.project, room.owner, 101, 500)
	s.wantCode(err, core.CodeConflict)
}

func roomRefused(s *storageCase) {
	room, next := s.room(), core.NewID()
	room.append("first", basesOf("a", "text"))
	room.claim(next, 101, 500)
	unclaimed := s.project(s.workspace().ID).ID
	for project, owners := range map[core.ID][]core.ID{
		room.project:           {room.owner, core.NewID(), "", core.ID(unstorable[0])},
		unclaimed:              {next, ""},
		core.NewID():           {next},
		core.ID(unstorable[0]): {next},
	} {
		for _, owner := range owners {
			s.wantCode(s.Rooms.Append(s.Context(), project, owner, []byte("late"), basesOf("b", "late")), core.CodeConflict)
			s.wantCode(s.Rooms.Append(s.Context(), project, owner, nil, nil), core.CodeConflict)
			s.wantCode(s.Rooms.Replace(s.Context(), project, owner, []byte("late"), nil, true), core.CodeConflict)
			s.must(s.Rooms.Release(s.Context(), project, owner))
		}
	}
	s.want(room.claim(next, 1, 500), nil, core.RoomState{Epoch: 1, Updates: roomUpdates("first"), Bases: basesOf("a", "text")})
}

func roomLate(s *storageCase) {
	room := s.room()
	room.claim(room.owner, 1, 2)
	room.append("late", nil)
	s.must(s.Rooms.Replace(s.Context(), room.project, room.owner, []byte("later"), nil, false))
	s.want(room.claim(core.NewID(), 1000, 2000).Updates, nil, roomUpdates("later"))
}

func roomOrder(s *storageCase) {
	room, other := s.room(), s.room()
	var want []string
	for i := range 300 {
		update := fmt.Sprintf("%d\x00'?\\\xff", i)
		room.append(update, nil)
		want = append(want, update)
	}
	room.append("", basesOf("a", "text"))
	s.must(s.Rooms.Append(s.Context(), room.project, room.owner, nil, nil))
	other.append("foreign", nil)
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates(want...)})
}

func roomReplaced(s *storageCase) {
	room, other := s.room(), s.room()
	other.append("kept", nil)
	replace := func(update []byte, bases map[core.ProjectPath]*string, newEpoch bool) {
		s.must(s.Rooms.Replace(s.Context(), room.project, room.owner, update, bases, newEpoch))
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

func roomBases(s *storageCase) {
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
	s.must(s.Rooms.Replace(s.Context(), room.project, room.owner, []byte("2"), want, false))
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("2"), Bases: want})
	for path, text := range map[core.ProjectPath]string{core.MustPath("a"): unstorable[1], {}: "text"} {
		refused := map[core.ProjectPath]*string{path: &text}
		s.wantCode(s.Rooms.Append(s.Context(), room.project, room.owner, nil, refused), core.CodeValidationFailed)
		s.wantCode(s.Rooms.Replace(s.Context(), room.project, room.owner, nil, refused, true), core.CodeValidationFailed)
	}
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("2"), Bases: want})
	room.append("", nil)
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("2")})
}

func roomTooLarge(s *storageCase) {
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
		s.wantCode(s.Rooms.Append(s.Context(), room.project, room.owner, refused.update, refused.bases), core.CodePayloadTooLarge)
		s.wantCode(s.Rooms.Replace(s.Context(), room.project, room.owner, refused.update, refused.bases, true), core.CodePayloadTooLarge)
	}
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("kept")})
}

func roomLargest(s *storageCase) {
	room := s.room()
	update := bytes.Repeat([]byte("\x00'\xff?"), core.MaxRoomUpdateBytes/4)
	bases := basesOf("a", strings.Repeat("<", 1<<20))
	s.must(s.Rooms.Append(s.Context(), room.project, room.owner, update, bases))
	got := room.claim(room.owner, 1, 100)
	if len(got.Updates) != 1 || !bytes.Equal(got.Updates[0], update) {
		s.Errorf("got %d updates, want the one of %d bytes", len(got.Updates), len(update))
	}
	if base := got.Bases[core.MustPath("a")]; base == nil || *base != *bases[core.MustPath("a")] {
		s.Error("got another base, want the stored one")
	}
}

func roomsRenewed(s *storageCase) {
	first, lost, released := s.room(), s.room(), s.room()
	second, foreign := heldRoom{s, s.project(s.workspace().ID).ID, first.owner}, s.room()
	second.claim(first.owner, 1, 100)
	for _, room := range []heldRoom{lost, released} {
		s.must(s.Rooms.Release(s.Context(), room.project, room.owner))
		room.claim(first.owner, 1, 100)
	}
	lost.claim(lost.owner, 101, 500)
	s.must(s.Rooms.Release(s.Context(), released.project, first.owner))
	want := []core.ID{first.project, second.project}
	slices.Sort(want)
	got, err := s.Rooms.Renew(s.Context(), first.owner, 1000)
	s.want(got, err, want)
	_, err = s.Rooms.Claim(s.Context(), first.project, core.NewID(), 1000, 2000)
	s.wantCode(err, core.CodeConflict)
	foreign.claim(core.NewID(), 101, 500)
	for _, owner := range []core.ID{core.NewID(), "", core.ID(unstorable[0])} {
		got, err := s.Rooms.Renew(s.Context(), owner, 3000)
		s.want(len(got), err, 0)
	}
	first.claim(core.NewID(), 1001, 2000)
}

func roomReleased(s *storageCase) {
	room, next := s.room(), core.NewID()
	room.append("first", nil)
	s.must(s.Rooms.Release(s.Context(), room.project, next))
	_, err := s.Rooms.Claim(s.Context(), room.project, next, 1, 100)
	s.wantCode(err, core.CodeConflict)
	s.must(s.Rooms.Release(s.Context(), room.project, room.owner))
	s.must(s.Rooms.Release(s.Context(), room.project, room.owner))
	s.wantCode(s.Rooms.Append(s.Context(), room.project, room.owner, []byte("late"), nil), core.CodeConflict)
	s.want(room.claim(next, 1, 100), nil, core.RoomState{Epoch: 1, Updates: roomUpdates("first")})
	s.must(s.Rooms.Release(s.Context(), room.project, room.owner))
	_, err = s.Rooms.Claim(s.Context(), room.project, room.owner, 1, 100)
	s.wantCode(err, core.CodeConflict)
}

func roomIsHeld(s *storageCase) {
	room := s.room()
	want := func(project core.ID, now core.Time, want bool) {
		s.Helper()
		held, err := s.Rooms.IsHeld(s.Context(), project, now)
		s.want(held, err, want)
	}
	want(room.project, 100, true)
	want(room.project, 101, false)
	want(core.NewID(), 1, false)
	want("no\x00id", 1, false)
	s.must(s.Rooms.Release(s.Context(), room.project, room.owner))
	want(room.project, 1, false)
}

// roomTakeoverRaces has an owner append while another takes the room over: what was
// acknowledged is in what the other finds.
func roomTakeoverRaces(s *storageCase) {
	for range 5 {
		room := s.room()
		var acknowledged []string
		var found core.RoomState
		together(2, func(i int) {
			if i == 1 {
				var err error
				found, err = s.Rooms.Claim(s.Context(), room.project, core.NewID(), 101, 500)
				s.want(found.Epoch, err, int64(1))
				return
			}
			for n := range 50 {
				update := fmt.Sprint(n)
				err := s.Rooms.Append(s.Context(), room.project, room.owner, []byte(update), nil)
				if err != nil {
					s.wantCode(err, core.CodeConflict)
					return
				}
				acknowledged = append(acknowledged, update)
			}
		})
		s.want(found, nil, core.RoomState{Epoch: 1, Updates: roomUpdates(acknowledged...)})
	}
}

func roomFormer(s *storageCase) {
	room := s.room()
	former := func(wantState []byte, code core.Code) {
		s.Helper()
		state, err := s.FormerRooms.ByProject(s.Context(), room.project)
		if code != "" {
			s.wantCode(err, code)
			return
		}
		s.want(state, err, wantState)
	}
	former(nil, core.CodeNotFound)
	s.wantCode(s.FormerRooms.Put(s.Context(), room.project, core.NewID(), []byte("not mine")), core.CodeConflict)
	s.wantCode(s.FormerRooms.Put(s.Context(), core.NewID(), room.owner, []byte("no room")), core.CodeConflict)
	s.wantCode(s.FormerRooms.Put(s.Context(), room.project, room.owner, make([]byte, core.MaxRoomUpdateBytes+1)), core.CodePayloadTooLarge)
	former(nil, core.CodeNotFound)
	for _, state := range []string{"first", "\x00\xffsecond"} {
		s.must(s.FormerRooms.Put(s.Context(), room.project, room.owner, []byte(state)))
		former([]byte(state), "")
	}
	room.append("update", nil)
	former([]byte("\x00\xffsecond"), "")
	room.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("update")})
	s.must(s.Projects.Delete(s.Context(), room.project))
	former(nil, core.CodeNotFound)
	_, err := s.FormerRooms.ByProject(s.ended(), room.project)
	s.wantCode(err, core.CodeUnavailable)
}

func roomGoes(s *storageCase) {
	workspace, kept := s.workspace(), s.room()
	kept.append("kept", nil)
	for _, remove := range []func(project core.ID) error{
		func(project core.ID) error { return s.Projects.Delete(s.Context(), project) },
		func(core.ID) error { return s.Workspaces.Delete(s.Context(), workspace.ID) },
	} {
		project := s.project(workspace.ID)
		room := heldRoom{s, project.ID, core.NewID()}
		room.claim(room.owner, 1, 100)
		room.append("1", basesOf("a", "text"))
		s.must(remove(project.ID))
		s.wantCode(s.Rooms.Append(s.Context(), project.ID, room.owner, []byte("2"), nil), core.CodeConflict)
		_, err := s.Rooms.Claim(s.Context(), project.ID, room.owner, 1, 100)
		s.wantCode(err, core.CodeNotFound)
		held, err := s.Rooms.Renew(s.Context(), room.owner, 500)
		s.want(len(held), err, 0)
	}
	kept.wantStored(core.RoomState{Epoch: 1, Updates: roomUpdates("kept")})
}

func roomCopies(s *storageCase) {
	room, update, text := s.room(), []byte("before"), "before"
	bases := map[core.ProjectPath]*string{core.MustPath("a"): &text}
	s.must(s.Rooms.Append(s.Context(), room.project, room.owner, update, bases))
	copy(update, "after!")
	text = "after!"
	bases[core.MustPath("b")] = nil
	for range 2 {
		got := room.claim(room.owner, 1, 100)
		s.want(got, nil, core.RoomState{Epoch: 1, Updates: roomUpdates("before"), Bases: basesOf("a", "before")})
		copy(got.Updates[0], "after!")
		*got.Bases[core.MustPath("a")] = "after!"
		got.Bases[core.MustPath("b")] = nil
	}
}

func roomRollsBack(s *storageCase) {
	room, other := s.room(), s.project(s.workspace().ID).ID
	room.append("kept", basesOf("a", "kept"))
	err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		state, err := in.Rooms.Claim(in.ctx, other, room.owner, 1, 100)
		s.want(state, err, core.RoomState{Epoch: 1})
		s.must(in.Rooms.Append(in.ctx, room.project, room.owner, []byte("doomed"), nil))
		s.must(in.Rooms.Replace(in.ctx, room.project, room.owner, []byte("doomed"), nil, true))
		s.wantCode(in.Rooms.Append(in.ctx, room.project, core.NewID(), []byte("doomed"), nil), core.CodeConflict)
		_, err = in.Rooms.Claim(in.ctx, core.NewID(), room.owner, 1, 100)
		s.wantCode(err, core.CodeNotFound)
		state, err = in.Rooms.Claim(in.ctx, room.project, room.owner, 1, 5000)
		s.want(state, err, core.RoomState{Epoch: 2, Updates: roomUpdates("doomed")})
		held, err := in.Rooms.Renew(in.ctx, room.owner, 9000)
		s.want(len(held), err, 2)
		s.must(in.Rooms.Release(in.ctx, room.project, room.owner))
		return errStop
	}))
	s.want(err, nil, errStop)
	want := core.RoomState{Epoch: 1, Updates: roomUpdates("kept"), Bases: basesOf("a", "kept")}
	room.wantStored(want)
	s.want(room.claim(core.NewID(), 101, 500), nil, want)
	held, err := s.Rooms.Renew(s.Context(), room.owner, 9000)
	s.want(len(held), err, 0)
}

func roomsEnded(s *storageCase) {
	room := s.room()
	_, err := s.Rooms.Claim(s.ended(), room.project, room.owner, 1, 500)
	s.wantCode(err, core.CodeUnavailable)
	_, err = s.Rooms.Renew(s.ended(), room.owner, 500)
	s.wantCode(err, core.CodeUnavailable)
	s.wantCode(s.Rooms.Append(s.ended(), room.project, room.owner, []byte("1"), nil), core.CodeUnavailable)
	s.wantCode(s.Rooms.Replace(s.ended(), room.project, room.owner, []byte("1"), nil, true), core.CodeUnavailable)
	s.wantCode(s.Rooms.Release(s.ended(), room.project, room.owner), core.CodeUnavailable)
	room.wantStored(core.RoomState{Epoch: 1})
}
