package yjs

import (
	"cmp"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// commit ends the transaction and returns its changes as an update for others.
func (tx *transaction) commit() replica.Change {
	tx.settle()
	if len(tx.clients)+len(tx.deleted) == 0 {
		return replica.Change{}
	}
	return replica.Change{Update: tx.encode(), Paths: tx.changedPaths(), Buried: tx.buried}
}

// settle removes the content of deleted items and merges items that can be merged.
func (tx *transaction) settle() {
	tx.deleted = tx.deleted.normal()
	tx.clients = slices.DeleteFunc(tx.clients, func(c *clientStructs) bool { return c.before == c.state() })
	sortClients(tx.clients)
	tx.collect()
	tx.join()
}

// collect removes the content of deleted items.
func (tx *transaction) collect() {
	s := tx.doc.store
	for _, d := range tx.deleted {
		c := s.clients[d.client]
		for index := c.index(d.clock); index < len(c.items) && c.items[index].clock < d.end(); index++ {
			if it := c.items[index]; it.deleted && !it.isGarbage() {
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
// neighbours.
func (tx *transaction) join() {
	seams := tx.seams()
	slices.SortFunc(seams, func(a, b seam) int { return cmp.Or(cmp.Compare(a.client, b.client), cmp.Compare(a.index, b.index)) })
	seams = slices.Compact(seams)
	if tx.doc.seams = seams[:0]; cap(seams) > 1024 {
		tx.doc.seams = nil
	}
	for len(seams) > 0 {
		n := slices.IndexFunc(seams, func(other seam) bool { return other.client != seams[0].client })
		if n < 0 {
			n = len(seams)
		}
		tx.doc.store.joinAt(tx.doc.store.clients[seams[0].client], seams[:n])
		seams = seams[n:]
	}
}

func (tx *transaction) seams() []seam {
	seams := tx.doc.seams[:0]
	add := func(c *clientStructs, from, to int) {
		for index := max(from, 1); index <= min(to, len(c.items)-1); index++ {
			seams = append(seams, seam{c.number, index})
		}
	}
	clients := tx.doc.store.clients
	for _, d := range tx.deleted {
		c := clients[d.client]
		add(c, c.index(d.clock), c.index(d.end()-1)+1)
	}
	for _, c := range tx.clients {
		add(c, c.index(c.before), len(c.items)-1)
	}
	for _, cut := range tx.cuts {
		c := clients[cut.client]
		at := c.index(cut.clock)
		add(c, at, at+1)
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

// encode encodes the transaction's changes as an update.
func (tx *transaction) encode() []byte {
	to := make([]byte, 0, 64)
	to = lib0.AppendUint(to, uint64(len(tx.clients)))
	for _, c := range tx.clients {
		to = appendStored(to, c, c.before, c.state())
	}
	return tx.deleted.append(to)
}

func (tx *transaction) changedPaths() []core.ProjectPath {
	slices.Sort(tx.paths)
	var paths []core.ProjectPath
	for _, key := range slices.Compact(tx.paths) {
		if path, err := core.ParsePath(key); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// rollback undoes the transaction. It rebuilds the store from the earlier state, of which
// nothing has been collected yet.
func (tx *transaction) rollback() {
	old := tx.doc.store
	clients := old.newestFirst()
	clients = slices.DeleteFunc(clients, func(c *clientStructs) bool { return tx.before(c) == 0 })
	state := lib0.AppendUint(nil, uint64(len(clients)))
	for _, c := range clients {
		state = appendStored(state, c, 0, tx.before(c))
	}
	state = old.deletions().without(tx.deleted.normal()).append(state)
	tx.doc.rebuild(state)
}
