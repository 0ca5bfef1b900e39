package rooms

import (
	"cmp"
	"slices"

	"github.com/atelierhq/atelier/ports/replica"
)

// Rebase is a three-way merge: it returns the edits that carry a writer's change over
// to a room's text. read is the common base, wrote the writer's text, room the room's
// current text. All three must be valid UTF-8.
//
// Insertions of both sides stay; of the base only what neither side deleted is left. A
// change that both made is made once. If both inserted at the same place, the room's
// text comes first.
func Rebase(read, wrote, room string) []replica.Edit {
	r := baseScan{room: Diff(read, room)}
	for _, e := range Diff(read, wrote) {
		r.carry(e)
	}
	return r.edits
}

// baseScan goes once through the base, from its beginning to its end.
type baseScan struct {
	// room are the room's remaining edits. Those passed have shifted the following
	// text by shift, and deleted the base up to gone.
	room        []replica.Edit
	shift, gone int
	edits       []replica.Edit
}

// carry translates an edit of the base into edits of the room's text.
func (r *baseScan) carry(e replica.Edit) {
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

// place translates an offset in the base into one in the room's text, after any
// insertion of the room there.
func (r *baseScan) place(at int) int {
	for len(r.room) > 0 && r.room[0].At <= at {
		r.shift += len(r.room[0].Insert) - r.room[0].Delete
		r.gone = r.room[0].At + r.room[0].Delete
		r.room = r.room[1:]
	}
	return max(at, r.gone) + r.shift
}

func (r *baseScan) add(e replica.Edit) {
	if e.Delete > 0 || e.Insert != "" {
		r.edits = append(r.edits, e)
	}
}
