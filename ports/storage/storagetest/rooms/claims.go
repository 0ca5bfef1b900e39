package rooms

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func roomClaimClauses() []clause {
	return []clause{
		{"a first claim finds an empty room of epoch 1", roomBegins},
		{"of parallel claims of a room one wins", roomClaimsInParallel},
		{"a claim that lasts is refused to others, one that ended is taken over", roomTakenOver},
		{"only the owner of a room stores anything", roomRefused},
		{"an owner whose claim ended stores as long as nobody else has claimed", roomLate},
		{"renewing extends the owner's own claims", roomsRenewed},
		{"a room that is given back is free", roomReleased},
		{"a room has an owner while a claim of it lasts", roomHasAnOwner},
		{"a takeover that meets an append sees it or refuses it", roomTakeoverRaces},
	}
}

func roomBegins(s testCase) {
	room, owner := s.room(), core.NewID()
	room.wantStored(core.RoomState{Epoch: 1})
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0])} {
		_, err := s.Rooms.Claim(s.Context(), id, owner, 1, 100)
		s.WantCode(err, core.CodeNotFound)
	}
	for _, id := range []core.ID{"", core.ID(fixture.Unstorable()[0]), core.ID(fixture.Unstorable()[1])} {
		_, err := s.Rooms.Claim(s.Context(), room.project, id, 200, 300)
		s.WantCode(err, core.CodeValidationFailed)
	}
}

func roomClaimsInParallel(s testCase) {
	fresh, lapsed := s.Project(s.Workspace().ID).ID, s.room()
	lapsed.append("kept", nil)
	for project, want := range map[core.ID]core.RoomState{
		fresh:          {Epoch: 1},
		lapsed.project: {Epoch: 1, Updates: roomUpdates("kept")},
	} {
		var won atomic.Int32
		fixture.Together(16, func(int) {
			state, err := s.Rooms.Claim(s.Context(), project, core.NewID(), 200, 300)
			if err != nil {
				s.WantCode(err, core.CodeConflict)
				return
			}
			won.Add(1)
			s.Want(state, nil, want)
		})
		s.Want(won.Load(), nil, int32(1))
	}
}

func roomTakenOver(s testCase) {
	room, next := s.room(), core.NewID()
	room.append("first", basesOf("a", "text"))
	for _, now := range []core.Time{1, 99, 100} {
		_, err := s.Rooms.Claim(s.Context(), room.project, next, now, 500)
		s.WantCode(err, core.CodeConflict)
	}
	want := core.RoomState{Epoch: 1, Updates: roomUpdates("first"), Bases: basesOf("a", "text")}
	s.Want(room.claim(next, 101, 500), nil, want)
	_, err := s.Rooms.Claim(s.Context(), room.project, room.owner, 101, 500)
	s.WantCode(err, core.CodeConflict)
}

func roomRefused(s testCase) {
	room, next := s.room(), core.NewID()
	room.append("first", basesOf("a", "text"))
	room.claim(next, 101, 500)
	unclaimed := s.Project(s.Workspace().ID).ID
	for project, owners := range map[core.ID][]core.ID{
		room.project:                     {room.owner, core.NewID(), "", core.ID(fixture.Unstorable()[0])},
		unclaimed:                        {next, ""},
		core.NewID():                     {next},
		core.ID(fixture.Unstorable()[0]): {next},
	} {
		for _, owner := range owners {
			s.WantCode(s.Rooms.Append(s.Context(), project, owner, []byte("late"), basesOf("b", "late")), core.CodeConflict)
			s.WantCode(s.Rooms.Append(s.Context(), project, owner, nil, nil), core.CodeConflict)
			s.WantCode(s.Rooms.Replace(s.Context(), project, owner, []byte("late"), nil, true), core.CodeConflict)
			s.Must(s.Rooms.Release(s.Context(), project, owner))
		}
	}
	s.Want(room.claim(next, 1, 500), nil, core.RoomState{Epoch: 1, Updates: roomUpdates("first"), Bases: basesOf("a", "text")})
}

func roomLate(s testCase) {
	room := s.room()
	room.claim(room.owner, 1, 2)
	room.append("late", nil)
	s.Must(s.Rooms.Replace(s.Context(), room.project, room.owner, []byte("later"), nil, false))
	s.Want(room.claim(core.NewID(), 1000, 2000).Updates, nil, roomUpdates("later"))
}

func roomsRenewed(s testCase) {
	first, lost, released := s.room(), s.room(), s.room()
	second, foreign := heldRoom{s, s.Project(s.Workspace().ID).ID, first.owner}, s.room()
	second.claim(first.owner, 1, 100)
	for _, room := range []heldRoom{lost, released} {
		s.Must(s.Rooms.Release(s.Context(), room.project, room.owner))
		room.claim(first.owner, 1, 100)
	}
	lost.claim(lost.owner, 101, 500)
	s.Must(s.Rooms.Release(s.Context(), released.project, first.owner))
	want := []core.ID{first.project, second.project}
	slices.Sort(want)
	got, err := s.Rooms.Renew(s.Context(), first.owner, 1000)
	s.Want(got, err, want)
	_, err = s.Rooms.Claim(s.Context(), first.project, core.NewID(), 1000, 2000)
	s.WantCode(err, core.CodeConflict)
	foreign.claim(core.NewID(), 101, 500)
	for _, owner := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		got, err := s.Rooms.Renew(s.Context(), owner, 3000)
		s.Want(len(got), err, 0)
	}
	first.claim(core.NewID(), 1001, 2000)
}

func roomReleased(s testCase) {
	room, next := s.room(), core.NewID()
	room.append("first", nil)
	s.Must(s.Rooms.Release(s.Context(), room.project, next))
	_, err := s.Rooms.Claim(s.Context(), room.project, next, 1, 100)
	s.WantCode(err, core.CodeConflict)
	s.Must(s.Rooms.Release(s.Context(), room.project, room.owner))
	s.Must(s.Rooms.Release(s.Context(), room.project, room.owner))
	s.WantCode(s.Rooms.Append(s.Context(), room.project, room.owner, []byte("late"), nil), core.CodeConflict)
	s.Want(room.claim(next, 1, 100), nil, core.RoomState{Epoch: 1, Updates: roomUpdates("first")})
	s.Must(s.Rooms.Release(s.Context(), room.project, room.owner))
	_, err = s.Rooms.Claim(s.Context(), room.project, room.owner, 1, 100)
	s.WantCode(err, core.CodeConflict)
}

func roomHasAnOwner(s testCase) {
	room := s.room()
	want := func(project core.ID, now core.Time, want core.ID) {
		s.Helper()
		owner, err := s.Rooms.Owner(s.Context(), project, now)
		s.Want(owner, err, want)
	}
	want(room.project, 100, room.owner)
	want(room.project, 101, "")
	want(core.NewID(), 1, "")
	want("no\x00id", 1, "")
	next := core.NewID()
	s.Want(room.claim(next, 101, 200), nil, core.RoomState{Epoch: 1})
	want(room.project, 150, next)
	s.Must(s.Rooms.Release(s.Context(), room.project, next))
	want(room.project, 1, "")
}

// roomTakeoverRaces has an owner append while another takes the room over: the
// other finds everything that was acknowledged.
func roomTakeoverRaces(s testCase) {
	for range 5 {
		room := s.room()
		var acknowledged []string
		var found core.RoomState
		fixture.Together(2, func(i int) {
			if i == 1 {
				var err error
				found, err = s.Rooms.Claim(s.Context(), room.project, core.NewID(), 101, 500)
				s.Want(found.Epoch, err, int64(1))
				return
			}
			for n := range 50 {
				update := fmt.Sprint(n)
				err := s.Rooms.Append(s.Context(), room.project, room.owner, []byte(update), nil)
				if err != nil {
					s.WantCode(err, core.CodeConflict)
					return
				}
				acknowledged = append(acknowledged, update)
			}
		})
		s.Want(found, nil, core.RoomState{Epoch: 1, Updates: roomUpdates(acknowledged...)})
	}
}
