package yjs

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
	"github.com/atelierhq/atelier/ports/replica"
)

// What is wrong with an update.
var (
	errKind     = errors.New("yjs: a struct or type of an unknown kind")
	errJSON     = errors.New("yjs: a value is not valid JSON")
	errEmpty    = errors.New("yjs: a struct without a length")
	errFuture   = errors.New("yjs: a struct depends on one that its client wrote later")
	errClock    = errors.New("yjs: a clock has more than 32 bits")
	errTrailing = errors.New("yjs: data follows the update")
	errTooLarge = errors.New("yjs: the document or the update has too many parts")
)

// maxDecoded bounds the structs, and the deletions, of an update: a state has at most as
// many.
const maxDecoded = replica.MaxStructs + replica.MaxPending

// The flags beside the kind in the first byte of a struct.
const (
	hasOrigin      = 1 << 7
	hasRightOrigin = 1 << 6
	hasSub         = 1 << 5
	kindBits       = hasSub - 1
)

// updateStruct is a struct of an update, before it becomes an item. A struct without origins
// names its parent and, for a map, its key; the others have the parent of their origins.
type updateStruct struct {
	id
	length              uint32
	origin, rightOrigin id
	parent              parentRef
	sub                 *string
	content
}

// end is the clock after the struct.
func (in *updateStruct) end() uint32 { return in.clock + in.length }

// update is a decoded update.
type update struct {
	queues  []queue
	deletes deleteSet
}

// queue holds the structs of one client, by clock. There may be gaps and overlaps.
type queue struct {
	client  uint64
	structs []updateStruct
}

// decodeUpdate decodes an update in version 1 of the format. Queues come highest client
// first, the order in which Yjs integrates them.
func decodeUpdate(encoded []byte) (update, error) {
	r := lib0.NewReader(encoded)
	decoded := update{}
	total := 0
	for n := r.Count(3); n > 0 && r.Err() == nil; n-- {
		q := readQueue(r, &total)
		if len(q.structs) > 0 {
			decoded.queues = append(decoded.queues, q)
		}
	}
	decoded.deletes = readDeleteSet(r)
	if r.Err() == nil && r.Len() > 0 {
		r.Fail(errTrailing)
	}
	decoded.queues = joinQueues(decoded.queues)
	return decoded, r.Err()
}

func readQueue(r *lib0.Reader, total *int) queue {
	n := r.Count(2)
	q := queue{client: r.Uint(), structs: make([]updateStruct, 0, min(n, 1024))}
	clock := readClock(r)
	for ; n > 0 && r.Err() == nil; n-- {
		in := readStruct(r, id{q.client, clock})
		clock = endOf(r, clock, in.length)
		if in.ref == refSkip {
			continue // a gap, which the next clock also reveals
		}
		if *total++; *total > maxDecoded {
			r.Fail(errTooLarge)
		}
		if len(q.structs) == cap(q.structs) {
			q.structs = slices.Grow(q.structs, min(n, len(q.structs)))
		}
		q.structs = append(q.structs, in)
	}
	return q
}

// readClock reads a clock or a length.
func readClock(r *lib0.Reader) uint32 {
	n := r.Uint()
	if n > math.MaxUint32 {
		r.Fail(errClock)
	}
	return uint32(n)
}

// endOf returns the clock after units, which must have 32 bits as well.
func endOf(r *lib0.Reader, clock, length uint32) uint32 {
	if clock > math.MaxUint32-length {
		r.Fail(errClock)
	}
	return clock + length
}

// readID reads the id of a unit.
func readID(r *lib0.Reader) id {
	unit := id{r.Uint(), readClock(r)}
	endOf(r, unit.clock, 1)
	return unit
}

// readStruct reads a struct, or one of kind refSkip for a gap.
func readStruct(r *lib0.Reader, at id) updateStruct {
	info := r.Byte()
	in := updateStruct{id: at, origin: noID, rightOrigin: noID, parent: parentRef{item: noID}}
	switch kind := ref(info & kindBits); kind {
	case refGC, refSkip:
		in.ref, in.length = kind, readClock(r)
	default:
		readNeighbours(r, &in, info)
		in.content, in.length = readContent(r, kind)
	}
	if in.length == 0 && in.ref != refSkip {
		r.Fail(errEmpty)
	}
	for _, needed := range []id{in.origin, in.rightOrigin, in.parent.item} {
		if needed.exists() && needed.client == at.client && needed.clock >= at.clock {
			r.Fail(errFuture)
		}
	}
	return in
}

// readNeighbours reads the origins and the parent of a struct.
func readNeighbours(r *lib0.Reader, in *updateStruct, info byte) {
	if info&hasOrigin != 0 {
		in.origin = readID(r)
	}
	if info&hasRightOrigin != 0 {
		in.rightOrigin = readID(r)
	}
	if info&(hasOrigin|hasRightOrigin) != 0 {
		return
	}
	if r.Uint() == 1 {
		in.parent.root = string(r.Text())
	} else {
		in.parent.item = readID(r)
	}
	if info&hasSub != 0 {
		sub := string(r.Text())
		in.sub = &sub
	}
}

// joinQueues sorts queues by client, highest first, and merges those of one client, by
// clock.
func joinQueues(queues []queue) []queue {
	if slices.IsSortedFunc(queues, func(a, b queue) int { return cmp.Or(cmp.Compare(b.client, a.client), -1) }) {
		return queues
	}
	slices.SortStableFunc(queues, func(a, b queue) int { return cmp.Compare(b.client, a.client) })
	joined := queues[:0]
	for _, q := range queues {
		if last := len(joined) - 1; last >= 0 && joined[last].client == q.client {
			joined[last].structs = joinStructs(joined[last].structs, q.structs)
			continue
		}
		joined = append(joined, q)
	}
	return joined
}

// joinStructs merges the structs of one client by clock and drops those that earlier ones
// cover.
func joinStructs(a, b []updateStruct) []updateStruct {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b updateStruct) int {
		return cmp.Or(cmp.Compare(a.clock, b.clock), cmp.Compare(b.length, a.length))
	})
	kept := all[:0]
	covered := uint32(0)
	for _, in := range all {
		if in.end() > covered {
			kept, covered = append(kept, in), in.end()
		}
	}
	return kept
}

// append encodes a struct from an offset in units on.
func (in *updateStruct) append(to []byte, offset uint32) []byte {
	if in.ref == refGC {
		return in.content.append(append(to, byte(refGC)), offset, in.length)
	}
	origin := in.origin
	if offset > 0 {
		origin = id{in.client, in.clock + offset - 1}
	}
	info := byte(in.ref)
	if origin.exists() {
		info |= hasOrigin
	}
	if in.rightOrigin.exists() {
		info |= hasRightOrigin
	}
	if in.sub != nil {
		info |= hasSub
	}
	to = append(to, info)
	for _, neighbour := range []id{origin, in.rightOrigin} {
		if neighbour.exists() {
			to = appendID(to, neighbour)
		}
	}
	if !origin.exists() && !in.rightOrigin.exists() {
		to = appendParent(to, in.parent)
		if in.sub != nil {
			to = lib0.AppendBytes(to, *in.sub)
		}
	}
	return in.content.append(to, offset, in.length)
}

func appendID(to []byte, unit id) []byte {
	return lib0.AppendUint(lib0.AppendUint(to, unit.client), uint64(unit.clock))
}

func appendParent(to []byte, parent parentRef) []byte {
	if parent.item.exists() {
		return appendID(append(to, 0), parent.item)
	}
	return lib0.AppendBytes(append(to, 1), parent.root)
}
