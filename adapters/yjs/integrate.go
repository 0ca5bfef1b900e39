package yjs

// integrate puts a struct that is ready into the document, as the algorithm YATA says:
// it goes between the units that it was written between, and among others that were
// written at the same place to where every replica puts it.
func (tx *transaction) integrate(in incoming) {
	it := in.item
	c := tx.touch(it.client)
	tx.resolve(in)
	if known := c.state() - it.clock; known > 0 {
		tx.dropKnown(it, known)
	}
	if it.parent == nil {
		it.discard()
	} else {
		tx.link(it)
	}
	c.items = append(c.items, it)
	tx.doc.store.structs++
	if it.isGarbage() {
		return
	}
	tx.doc.store.content += len(it.content.text)
	tx.note(it)
	if it.content.ref == refDeleted {
		tx.deleted = append(tx.deleted, deletion{it.client, it.clock, it.length})
		it.deleted = true
	}
	replaced := it.sub != nil && it.right != nil
	if owner := it.parent.owner; replaced || owner != nil && owner.deleted {
		tx.delete(it)
	}
}

// resolve finds the neighbours and the parent of an item by their ids. The parent stays
// nil when it, or the neighbour that it would be taken from, is garbage.
func (tx *transaction) resolve(in incoming) {
	it := in.item
	if it.isGarbage() {
		return
	}
	if it.origin.exists() {
		it.left = tx.cleanEnd(it.origin)
		it.origin = it.left.lastID()
	}
	if it.rightOrigin.exists() {
		it.right = tx.cleanStart(it.rightOrigin)
		it.rightOrigin = it.right.id
	}
	switch {
	case it.left != nil && it.left.isGarbage(), it.right != nil && it.right.isGarbage():
	case it.left != nil:
		it.parent, it.sub = it.left.parent, it.left.sub
	case it.right != nil:
		it.parent, it.sub = it.right.parent, it.right.sub
	default:
		it.parent = tx.doc.store.parent(in.parent)
	}
}

// dropKnown cuts off what of an item has come before, and puts the rest behind that.
func (tx *transaction) dropKnown(it *item, known uint64) {
	if !it.isGarbage() {
		it.left = tx.cleanEnd(id{it.client, it.clock + known - 1})
		it.origin = it.left.lastID()
		it.content = it.content.split(known, it.length)
		it.parent, it.sub = it.left.parent, it.left.sub
	}
	it.clock += known
	it.length -= known
}

// link puts an item into the list that it stands in.
func (tx *transaction) link(it *item) {
	undisturbed := it.left != nil && it.left.right == it.right || it.left == nil && it.right != nil && it.right.left == nil
	if !undisturbed {
		it.left = tx.leftOf(it)
	}
	if it.left != nil {
		it.right = it.left.right
		it.left.right = it
	} else {
		head, steps := it.parent.first(it.sub)
		tx.cost += steps
		it.right = head
		if it.sub == nil {
			it.parent.start = it
		}
	}
	if it.right != nil {
		it.right.left = it
	} else if it.sub != nil {
		it.parent.setEntry(*it.sub, it)
		if it.left != nil { // the value until now
			tx.delete(it.left)
		}
	}
}

// leftOf finds, among the items that stand between an item's origins, the one that it
// comes behind. Two items with the same left origin are ordered by their clients; one
// whose left origin is among those passed belongs to the item that it was written
// behind, so it is passed with that one or not at all. Origins never cross, which is
// what makes the order the same everywhere.
func (tx *transaction) leftOf(it *item) *item {
	s := tx.doc.store
	left, other := it.left, (*item)(nil)
	if left != nil {
		other = left.right
	} else {
		head, steps := it.parent.first(it.sub)
		tx.cost += steps
		other = head
	}
	// Items met in this call have a round from first on; those met since left was
	// moved last, the round that is now.
	s.rounds++
	first := s.rounds
	for ; other != nil && other != it.right; other = other.right {
		tx.cost++
		other.seen = s.rounds
		if other.origin == it.origin {
			if other.client < it.client {
				left = other
				s.rounds++
			} else if other.rightOrigin == it.rightOrigin {
				break
			}
			continue
		}
		if !other.origin.exists() {
			break
		}
		origin := s.find(other.origin)
		if origin.seen < first {
			break
		}
		if origin.seen < s.rounds {
			left = other
			s.rounds++
		}
	}
	return left
}
