package rooms

import (
	"cmp"
	"slices"

	"github.com/atelierhq/atelier/ports/replica"
)

// Rebase returns the edits that carry a writer's change over to a room's text: what the
// writer had read became what it wrote, while it became what the room holds now. All
// three texts are valid UTF-8.
//
// What the room has that the writer had not read stays, and what the writer wrote
// anew comes in; of what both had before, only what neither deleted is left. Where both
// made the same change it is made once. Where both wrote at one place, the room's text
// comes first.
func Rebase(read, wrote, room string) []replica.Edit {
	r := rebasing{room: Diff(read, room)}
	for _, e := range Diff(read, wrote) {
		r.carry(e)
	}
	return r.edits
}

// rebasing goes through what was read once, from its beginning to its end.
type rebasing struct {
	// room is the room's edits that are still to come. Those passed have moved what
	// stands behind them by shift, and deleted what was read up to gone.
	room        []replica.Edit
	shift, gone int
	edits       []replica.Edit
}

// carry adds what an edit of what was read comes to in the room.
func (r *rebasing) carry(e replica.Edit) {
	same, found := slices.BinarySearchFunc(r.room, e.At, func(other replica.Edit, at int) int { return cmp.Compare(other.At, at) })
	if found && r.room[same] == e {
		return
	}
	made := replica.Edit{At: r.place(e.At), Insert: e.Insert}
	for at, end := max(e.At, r.gone), e.At+e.Delete; at < end; at = max(at, r.gone) {
		until := end
		if len(r.room) > 0 {
			until = min(end, r.room[0].At)
		}
		if place := r.place(at); place > made.At+made.Delete {
			r.add(made)
			made = replica.Edit{At: place}
		}
		made.Delete += until - at
		at = until
		r.place(at)
	}
	r.add(made)
}

// place returns where in the room's text a place between two bytes of what was read is
// now: behind what the room wrote there.
func (r *rebasing) place(at int) int {
	for len(r.room) > 0 && r.room[0].At <= at {
		r.shift += len(r.room[0].Insert) - r.room[0].Delete
		r.gone = r.room[0].At + r.room[0].Delete
		r.room = r.room[1:]
	}
	return max(at, r.gone) + r.shift
}

func (r *rebasing) add(e replica.Edit) {
	if e.Delete > 0 || e.Insert != "" {
		r.edits = append(r.edits, e)
	}
}
