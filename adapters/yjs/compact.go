package yjs

import (
	"cmp"
	"slices"
)

// compaction makes a store small again at the end of a transaction: it removes the content
// of deleted items and merges items that can be merged.
type compaction struct {
	store   *store
	deleted deleteSet
	clients []*clientStructs // to which the transaction added something
	cuts    []id
	memory  []seam // of the transaction before
}

// maxReusedSeams bounds the memory that a document keeps for seams between transactions.
const maxReusedSeams = 1024

// collect removes the content of deleted items.
func (c *compaction) collect() {
	s := c.store
	for _, d := range c.deleted {
		of := s.clients[d.client]
		for index := of.index(d.clock); index < len(of.items) && of.items[index].clock < d.end(); index++ {
			if it := of.items[index]; it.deleted && !it.isGarbage() {
				s.content -= it.text.len()
				s.discardInside(it.typ())
				it.empty()
			}
		}
	}
}

// discardInside turns everything inside a type, and inside nested types, into garbage.
func (s *store) discardInside(t *sharedType) {
	inside := []*sharedType{}
	discard := func(it *item) {
		s.content -= it.text.len()
		if it.typ() != nil {
			inside = append(inside, it.typ())
		}
		it.discard()
	}
	for t != nil {
		for it := t.start; it != nil; {
			next := it.right
			discard(it)
			it = next
		}
		for _, it := range t.entries {
			for it != nil {
				next := it.left
				discard(it)
				it = next
			}
		}
		t.start, t.entries, t = nil, nil, nil
		if last := len(inside) - 1; last >= 0 {
			t, inside = inside[last], inside[:last]
		}
	}
}

// seam is a boundary between two items of a client that may be merged. It is the index of
// the second.
type seam struct {
	client uint64
	index  int
}

// join merges adjacent items: those that the transaction added, deleted or cut, and their
// neighbours. It returns memory for the seams of the next transaction.
func (c *compaction) join() []seam {
	seams := c.seams()
	slices.SortFunc(seams, func(a, b seam) int { return cmp.Or(cmp.Compare(a.client, b.client), cmp.Compare(a.index, b.index)) })
	seams = slices.Compact(seams)
	memory := seams[:0]
	if cap(seams) > maxReusedSeams {
		memory = nil
	}
	for len(seams) > 0 {
		n := slices.IndexFunc(seams, func(other seam) bool { return other.client != seams[0].client })
		if n < 0 {
			n = len(seams)
		}
		c.store.joinAt(c.store.clients[seams[0].client], seams[:n])
		seams = seams[n:]
	}
	return memory
}

// seams returns the boundaries at which items may be merged now.
func (c *compaction) seams() []seam {
	seams := c.memory[:0]
	add := func(of *clientStructs, from, to int) {
		for index := max(from, 1); index <= min(to, len(of.items)-1); index++ {
			seams = append(seams, seam{of.number, index})
		}
	}
	clients := c.store.clients
	for _, d := range c.deleted {
		of := clients[d.client]
		add(of, of.index(d.clock), of.index(d.end()-1)+1)
	}
	for _, of := range c.clients {
		add(of, of.index(of.before), len(of.items)-1)
	}
	for _, cut := range c.cuts {
		of := clients[cut.client]
		at := of.index(cut.clock)
		add(of, at, at+1)
	}
	return seams
}

// joinAt merges the items of a client at the given seams, which are sorted. At each seam
// it merges to the left as far as possible.
func (s *store) joinAt(c *clientStructs, seams []seam) {
	first, left, done := len(c.items), 0, 0
	for _, seam := range seams {
		from := seam.index
		for from-1 > done && c.items[from-1].absorbs(c.items[from]) {
			from--
		}
		for done = max(from-1, done); done < seam.index; done++ {
			if c.items[done] != nil {
				left = done
			}
			if next := done + 1; c.items[left].absorbs(c.items[next]) {
				c.items[left].absorb(c.items[next])
				c.items[next] = nil
				first = min(first, next)
			}
		}
	}
	kept := c.items[:first]
	for _, it := range c.items[first:] {
		if it != nil {
			kept = append(kept, it)
		}
	}
	s.structs -= len(c.items) - len(kept)
	clear(c.items[len(kept):])
	c.items = kept
}
