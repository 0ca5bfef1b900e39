package yjs

import (
	"cmp"
	"math"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
	"github.com/atelierhq/atelier/ports/replica"
)

// appendStored encodes the items of a client between two clocks, both within the client's
// state. No item may extend beyond the upper clock.
func appendStored(to []byte, c *clientStructs, from, until uint32) []byte {
	first := c.index(from)
	items := c.items[first:]
	if until < c.state() {
		items = c.items[first:c.index(until)]
	}
	to = lib0.AppendUint(to, uint64(len(items)))
	to = lib0.AppendUint(to, c.number)
	to = lib0.AppendUint(to, uint64(from))
	return appendItems(to, items, from)
}

func appendItems(to []byte, items []*item, from uint32) []byte {
	for i, it := range items {
		offset := uint32(0)
		if i == 0 {
			offset = from - it.clock
		}
		in := it.outgoing()
		to = in.append(to, offset)
	}
	return to
}

// outgoing returns the item in the form of updates.
func (it *item) outgoing() updateStruct {
	out := updateStruct{
		id: it.id(), length: it.length, origin: it.origin(), rightOrigin: it.rightOrigin(),
		sub: it.sub(), content: it.content(),
	}
	if parent := it.parent(); parent != nil && it.originClient == 0 && it.rightClient == 0 {
		out.parent = parent.ref()
	}
	return out
}

// clientDiff is the part of an update about one client: stored items from a clock on, and
// pending structs.
type clientDiff struct {
	stored  *clientStructs // nil if there are none
	from    uint32
	waiting []updateStruct
	client  uint64
}

// encode returns an update with everything that a replica with the given state vector
// lacks.
func (d *Document) encode(since map[uint64]uint32) []byte {
	return d.store.encode(since, d.pending)
}

// encode is Document.encode for a store with its pending structs.
func (s *store) encode(since map[uint64]uint32, waiting pendingStructs) []byte {
	parts := s.missing(since, waiting)
	var to []byte
	if len(since) == 0 {
		to = make([]byte, 0, 64+s.content+16*s.structs)
	}
	to = lib0.AppendUint(to, uint64(len(parts)))
	for _, part := range parts {
		to = part.append(to)
	}
	return append(s.deletions(), waiting.deletes...).normal().append(to)
}

// missing returns the parts of an update, highest client first.
func (s *store) missing(since map[uint64]uint32, pending pendingStructs) []clientDiff {
	var parts []clientDiff
	for _, c := range s.newestFirst() {
		if from := since[c.number]; from < c.state() {
			parts = append(parts, clientDiff{client: c.number, stored: c, from: from})
		}
	}
	stored := parts
	for _, q := range pending.queues {
		waiting := newer(q.structs, max(since[q.client], s.state(q.client)))
		at, found := slices.BinarySearchFunc(stored, q.client, func(m clientDiff, client uint64) int { return cmp.Compare(client, m.client) })
		switch {
		case len(waiting) == 0:
		case found:
			stored[at].waiting = waiting
			parts[at].waiting = waiting
		default:
			parts = append(parts, clientDiff{client: q.client, waiting: waiting})
		}
	}
	slices.SortFunc(parts, func(a, b clientDiff) int { return cmp.Compare(b.client, a.client) })
	return parts
}

// newer returns the structs that extend beyond a clock.
func newer(structs []updateStruct, clock uint32) []updateStruct {
	for at := range structs {
		if structs[at].end() > clock {
			return structs[at:]
		}
	}
	return nil
}

// append encodes the part. For a gap before a pending struct, it writes a skip struct.
func (m clientDiff) append(to []byte) []byte {
	if len(m.waiting) == 0 {
		return appendStored(to, m.stored, m.from, m.stored.state())
	}
	var items []*item
	clock := m.waiting[0].clock
	if m.stored != nil {
		items, clock = m.stored.items[m.stored.index(m.from):], m.stored.state()
	} else {
		m.from = clock
	}
	body := appendItems(nil, items, m.from)
	count := len(items)
	for i := range m.waiting {
		in := &m.waiting[i]
		if in.clock > clock {
			body = lib0.AppendUint(append(body, byte(refSkip)), uint64(in.clock-clock))
			clock, count = in.clock, count+1
		}
		body = in.append(body, clock-in.clock)
		clock, count = in.end(), count+1
	}
	to = lib0.AppendUint(to, uint64(count))
	to = lib0.AppendUint(to, m.client)
	return append(lib0.AppendUint(to, uint64(m.from)), body...)
}

// appendVector encodes the state vector.
func (s *store) appendVector(to []byte) []byte {
	clients := s.newestFirst()
	to = lib0.AppendUint(to, uint64(len(clients)))
	for _, c := range clients {
		to = lib0.AppendUint(to, c.number)
		to = lib0.AppendUint(to, uint64(c.state()))
	}
	return to
}

// decodeVector decodes a state vector; no bytes are an empty one. A clock of more than 32
// bits is treated as the largest of 32 bits, which is beyond every document's state.
func decodeVector(encoded []byte) (map[uint64]uint32, error) {
	if len(encoded) == 0 {
		return nil, nil
	}
	r := lib0.NewReader(encoded)
	n := r.Count(2)
	if n > replica.MaxStructs {
		return nil, errTooLarge
	}
	vector := make(map[uint64]uint32, n)
	for ; n > 0; n-- {
		client := r.Uint()
		vector[client] = uint32(min(r.Uint(), math.MaxUint32))
	}
	if r.Err() == nil && r.Len() > 0 {
		r.Fail(errTrailing)
	}
	return vector, r.Err()
}
