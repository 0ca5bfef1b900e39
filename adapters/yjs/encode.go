package yjs

import (
	"cmp"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
	"github.com/atelierhq/atelier/ports/replica"
)

// appendStored writes the items of a client from a clock up to another, both within
// what the client wrote; an item does not reach over the upper one.
func appendStored(to []byte, c *clientStructs, from, until uint64) []byte {
	first := c.index(from)
	items := c.items[first:]
	if until < c.state() {
		items = c.items[first:c.index(until)]
	}
	to = lib0.AppendUint(to, uint64(len(items)))
	to = lib0.AppendUint(to, c.client)
	to = lib0.AppendUint(to, from)
	return appendItems(to, items, from)
}

func appendItems(to []byte, items []*item, from uint64) []byte {
	for i, it := range items {
		offset := uint64(0)
		if i == 0 {
			offset = from - it.clock
		}
		parent := parentRef{}
		if it.parent != nil {
			parent = it.parent.ref()
		}
		to = appendItem(to, it, offset, parent)
	}
	return to
}

// missing is what of one client an update has to bring: stored items from a clock on,
// and structs that wait.
type missing struct {
	stored  *clientStructs // nil without
	from    uint64
	waiting []incoming
	client  uint64
}

// encode returns an update with all that a replica with the given vector lacks.
func (d *Document) encode(since map[uint64]uint64) []byte {
	parts := d.missing(since)
	var to []byte
	if len(since) == 0 {
		to = make([]byte, 0, 64+d.store.content+16*d.store.structs)
	}
	to = lib0.AppendUint(to, uint64(len(parts)))
	for _, part := range parts {
		to = part.append(to)
	}
	return append(d.store.deletions(), d.pending.deletes...).normal().append(to)
}

// missing returns the parts of an update, highest client first.
func (d *Document) missing(since map[uint64]uint64) []missing {
	var parts []missing
	for _, c := range d.store.newestFirst() {
		if from := since[c.client]; from < c.state() {
			parts = append(parts, missing{client: c.client, stored: c, from: from})
		}
	}
	stored := parts
	for _, q := range d.pending.queues {
		waiting := newer(q.structs, max(since[q.client], d.store.state(q.client)))
		at, found := slices.BinarySearchFunc(stored, q.client, func(m missing, client uint64) int { return cmp.Compare(client, m.client) })
		switch {
		case len(waiting) == 0:
		case found:
			stored[at].waiting = waiting
			parts[at].waiting = waiting
		default:
			parts = append(parts, missing{client: q.client, waiting: waiting})
		}
	}
	slices.SortFunc(parts, func(a, b missing) int { return cmp.Compare(b.client, a.client) })
	return parts
}

// newer returns the structs that reach over a clock.
func newer(structs []incoming, clock uint64) []incoming {
	at := slices.IndexFunc(structs, func(in incoming) bool { return in.end() > clock })
	if at < 0 {
		return nil
	}
	return structs[at:]
}

// append writes the part. Where what waits leaves a gap, a struct that stands for the
// gap is written.
func (m missing) append(to []byte) []byte {
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
	for _, in := range m.waiting {
		if in.clock > clock {
			body = lib0.AppendUint(append(body, byte(refSkip)), in.clock-clock)
			clock, count = in.clock, count+1
		}
		body = appendItem(body, in.item, clock-in.clock, in.parent)
		clock, count = in.end(), count+1
	}
	to = lib0.AppendUint(to, uint64(count))
	to = lib0.AppendUint(to, m.client)
	return append(lib0.AppendUint(to, m.from), body...)
}

// appendVector writes the state vector.
func (s *store) appendVector(to []byte) []byte {
	clients := s.newestFirst()
	to = lib0.AppendUint(to, uint64(len(clients)))
	for _, c := range clients {
		to = lib0.AppendUint(to, c.client)
		to = lib0.AppendUint(to, c.state())
	}
	return to
}

// decodeVector reads a state vector; no bytes are an empty one.
func decodeVector(encoded []byte) (map[uint64]uint64, error) {
	if len(encoded) == 0 {
		return nil, nil
	}
	r := lib0.NewReader(encoded)
	n := r.Count(2)
	if n > replica.MaxStructs {
		return nil, errTooLarge
	}
	vector := make(map[uint64]uint64, n)
	for ; n > 0; n-- {
		client := r.Uint()
		vector[client] = r.Uint()
	}
	if r.Err() == nil && r.Len() > 0 {
		r.Fail(errTrailing)
	}
	return vector, r.Err()
}
