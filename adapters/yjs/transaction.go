package yjs

import (
	"errors"
	"slices"

	"github.com/atelierhq/atelier/ports/replica"
)

// errCostly is the error for an update that takes too much work.
var errCostly = errors.New("yjs: the update takes too much work")

// Bounds on the work of a transaction, in steps of at most a hundred nanoseconds: forged
// updates can make integration quadratic. Opening a state takes the work of all updates
// that led to it.
const (
	maxCost     = 30_000_000
	maxOpenCost = 20 * maxCost
)

// transaction is one change of a document, by an update or by a local edit.
type transaction struct {
	doc     *Document
	number  uint64
	clients []*clientStructs // to which the transaction added something
	deleted deleteSet
	// cuts are the items that were cut or lost a neighbour. They may be merged at the
	// end.
	cuts  []id
	paths []string
	// buried counts texts that were added inside something deleted.
	buried int
	cost   int
	limit  int // of cost
}

func (d *Document) begin() *transaction {
	d.transactions++
	return &transaction{doc: d, number: d.transactions, limit: maxCost}
}

// touch returns the list of a client to which something is added.
func (tx *transaction) touch(client uint64) *clientStructs {
	c := tx.doc.store.client(client)
	if c.changed != tx.number {
		c.changed, c.before = tx.number, c.state()
		tx.clients = append(tx.clients, c)
	}
	return c
}

// before returns the state of a client at the beginning of the transaction.
func (tx *transaction) before(c *clientStructs) uint32 {
	if c.changed == tx.number {
		return c.before
	}
	return c.state()
}

// note records the path to which an item belongs.
func (tx *transaction) note(it *item) {
	files, at := tx.doc.store.files, it.place
	if at.parent != files {
		owner := at.parent.owner
		if owner == nil || owner.parent() != files {
			return
		}
		at = owner.place
	}
	sub := at.sub
	if sub != nil && (len(tx.paths) == 0 || tx.paths[len(tx.paths)-1] != *sub) {
		tx.paths = append(tx.paths, *sub)
	}
}

// cut splits the item at an index of a client's list.
func (tx *transaction) cut(c *clientStructs, index int, at uint32) *item {
	s, left := tx.doc.store, c.items[index]
	s.content -= left.text.len()
	right := left.split(at)
	s.content += left.text.len() + right.text.len()
	s.structs++
	c.items = slices.Insert(c.items, index+1, right)
	tx.cost += 1 + (len(c.items)-index)/256
	tx.cuts = append(tx.cuts, right.id())
	return right
}

// cleanStart returns the item that begins with a unit of a client, or the garbage that
// contains it.
func (tx *transaction) cleanStart(c *clientStructs, clock uint32) *item {
	index := c.index(clock)
	it := c.items[index]
	if it.clock == clock || it.isGarbage() {
		return it
	}
	return tx.cut(c, index, clock-it.clock)
}

// cleanEnd returns the item that ends with a unit of a client, or the garbage that
// contains it.
func (tx *transaction) cleanEnd(c *clientStructs, clock uint32) *item {
	index := c.index(clock)
	it := c.items[index]
	if it.end() != clock+1 && !it.isGarbage() {
		tx.cut(c, index, clock-it.clock+1)
	}
	return it
}

// delete marks an item and everything inside it as deleted.
func (tx *transaction) delete(it *item) {
	if it.deleted {
		return
	}
	tx.mark(it)
	if it.typ() == nil {
		return
	}
	inside := []*sharedType{it.typ()}
	visit := func(child *item) {
		if child.deleted {
			// It may be merged with a neighbour that is deleted in this transaction.
			if child.clock < tx.before(child.client) {
				tx.cuts = append(tx.cuts, child.id())
			}
			return
		}
		tx.mark(child)
		if child.typ() != nil {
			inside = append(inside, child.typ())
		}
	}
	for len(inside) > 0 {
		t := inside[len(inside)-1]
		inside = inside[:len(inside)-1]
		for child := t.start; child != nil; child = child.right {
			visit(child)
		}
		for _, child := range t.entries {
			visit(child)
		}
	}
}

func (tx *transaction) mark(it *item) {
	tx.cost++
	it.deleted = true
	tx.deleted = append(tx.deleted, it.units())
	tx.note(it)
}

// apply carries out deletions and returns those of unknown units.
func (tx *transaction) apply(deletes deleteSet) (rest deleteSet, err error) {
	for _, d := range deletes {
		state := tx.doc.store.state(d.client)
		if d.end() > state {
			from := max(d.clock, state)
			rest = append(rest, deletion{d.client, from, d.end() - from})
			d.length = max(d.clock, state) - d.clock
		}
		if d.clock < state {
			tx.deleteUnits(d)
		}
		if err := tx.bounded(); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// deleteUnits deletes existing units.
func (tx *transaction) deleteUnits(d deletion) {
	c := tx.doc.store.clients[d.client]
	index := c.index(d.clock)
	if it := c.items[index]; !it.deleted && it.clock < d.clock {
		tx.cut(c, index, d.clock-it.clock)
		index++
	}
	for ; index < len(c.items) && c.items[index].clock < d.end(); index++ {
		it := c.items[index]
		tx.cost++
		if it.deleted {
			continue
		}
		if d.end() < it.end() {
			tx.cut(c, index, d.end()-it.clock)
		}
		tx.delete(it)
	}
}

// bounded reports which limit the transaction exceeds, if any.
func (tx *transaction) bounded() error {
	switch s := tx.doc.store; {
	case tx.cost > tx.limit:
		return errCostly
	case s.structs > replica.MaxStructs, s.content > replica.MaxContentBytes:
		return errTooLarge
	}
	return nil
}
