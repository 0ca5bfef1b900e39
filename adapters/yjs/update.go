package yjs

import (
	"cmp"
	"errors"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
	"github.com/atelierhq/atelier/ports/replica"
)

// What is wrong with an update.
var (
	errKind     = errors.New("yjs: a struct or type of an unknown kind")
	errJSON     = errors.New("yjs: a value is not valid JSON")
	errEmpty    = errors.New("yjs: a struct of no length")
	errFuture   = errors.New("yjs: a struct depends on one that its client wrote later")
	errTrailing = errors.New("yjs: there is more behind the update")
	errTooLarge = errors.New("yjs: the document or the update has too many parts")
)

// maxDecoded bounds the structs of an update, and its deletions: a state has at most
// as many.
const maxDecoded = replica.MaxStructs + replica.MaxPending

// The bits beside the kind in the byte that a struct begins with.
const (
	hasOrigin      = 1 << 7
	hasRightOrigin = 1 << 6
	hasSub         = 1 << 5
	kindBits       = hasSub - 1
)

// incoming is an item of an update before its integration. One without origins has its
// parent named beside it; the others stand in the parent of their origins.
type incoming struct {
	*item
	parent parentRef
}

// update is a decoded update.
type update struct {
	queues  []queue
	deletes deleteSet
}

// queue is the structs of one client, by their clocks. There may be gaps and overlaps.
type queue struct {
	client  uint64
	structs []incoming
}

// decodeUpdate reads an update in version 1 of the format. Queues come highest client
// first, as Yjs integrates them.
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
	q := queue{client: r.Uint(), structs: make([]incoming, 0, min(n, 1024))}
	clock := r.Uint()
	for ; n > 0 && r.Err() == nil; n-- {
		in, length := readStruct(r, id{q.client, clock})
		if clock += length; clock > lib0.MaxInteger {
			r.Fail(lib0.ErrInteger)
		}
		if in.item == nil {
			continue // a gap, which the next clock tells of as well
		}
		if *total++; *total > maxDecoded {
			r.Fail(errTooLarge)
		}
		q.structs = append(q.structs, in)
	}
	return q
}

// readStruct returns a struct, without an item for one that stands for a gap, and its
// length.
func readStruct(r *lib0.Reader, at id) (incoming, uint64) {
	info := r.Byte()
	kind := ref(info & kindBits)
	if kind == refSkip {
		return incoming{}, r.Uint()
	}
	it := &item{id: at, origin: noID, rightOrigin: noID}
	in := incoming{item: it}
	if kind == refGC {
		it.length, it.deleted = r.Uint(), true
	} else {
		in.parent = readNeighbours(r, it, info)
		it.content, it.length = readContent(r, kind)
		if it.content.typ != nil {
			it.content.typ.owner = it
		}
	}
	if it.length == 0 {
		r.Fail(errEmpty)
	}
	for _, needed := range []id{it.origin, it.rightOrigin, in.parent.item} {
		if needed.exists() && needed.client == at.client && needed.clock >= at.clock && kind != refGC {
			r.Fail(errFuture)
		}
	}
	return in, it.length
}

// readNeighbours reads where an item stands.
func readNeighbours(r *lib0.Reader, it *item, info byte) parentRef {
	parent := parentRef{item: noID}
	if info&hasOrigin != 0 {
		it.origin = id{r.Uint(), r.Uint()}
	}
	if info&hasRightOrigin != 0 {
		it.rightOrigin = id{r.Uint(), r.Uint()}
	}
	if info&(hasOrigin|hasRightOrigin) != 0 {
		return parent
	}
	if r.Uint() == 1 {
		parent.root = string(r.Text())
	} else {
		parent.item = id{r.Uint(), r.Uint()}
	}
	if info&hasSub != 0 {
		sub := string(r.Text())
		it.sub = &sub
	}
	return parent
}

// joinQueues orders queues by client, highest first, and makes those of one client one,
// by clock.
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

// joinStructs merges structs of one client by clock and drops those that others before
// them cover.
func joinStructs(a, b []incoming) []incoming {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b incoming) int {
		return cmp.Or(cmp.Compare(a.clock, b.clock), cmp.Compare(b.length, a.length))
	})
	kept := all[:0]
	covered := uint64(0)
	for _, in := range all {
		if in.end() > covered {
			kept, covered = append(kept, in), in.end()
		}
	}
	return kept
}

// appendItem writes an item from an offset in units on.
func appendItem(to []byte, it *item, offset uint64, parent parentRef) []byte {
	if it.isGarbage() {
		return it.content.append(append(to, byte(refGC)), offset, it.length)
	}
	origin := it.origin
	if offset > 0 {
		origin = id{it.client, it.clock + offset - 1}
	}
	info := byte(it.content.ref)
	if origin.exists() {
		info |= hasOrigin
	}
	if it.rightOrigin.exists() {
		info |= hasRightOrigin
	}
	if it.sub != nil {
		info |= hasSub
	}
	to = append(to, info)
	for _, neighbour := range []id{origin, it.rightOrigin} {
		if neighbour.exists() {
			to = appendID(to, neighbour)
		}
	}
	if !origin.exists() && !it.rightOrigin.exists() {
		to = appendParent(to, parent)
		if it.sub != nil {
			to = lib0.AppendBytes(to, *it.sub)
		}
	}
	return it.content.append(to, offset, it.length)
}

func appendID(to []byte, unit id) []byte {
	return lib0.AppendUint(lib0.AppendUint(to, unit.client), unit.clock)
}

func appendParent(to []byte, parent parentRef) []byte {
	if parent.item.exists() {
		return appendID(append(to, 0), parent.item)
	}
	return lib0.AppendBytes(append(to, 1), parent.root)
}
