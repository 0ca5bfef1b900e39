package yjs

// integrate puts a struct that is ready into the document, as the algorithm YATA says:
// it goes between the units that it was written between, and among others that were
// written at the same place to where every replica puts it. It returns the item that
// the struct became, and leaves the struct as it is.
func (tx *transaction) integrate(in *incoming) *item {
	c := tx.touch(in.client)
	it := &item{text: shortOf(in.text), client: c, clock: in.clock, length: in.length, ref: in.ref}
	if !it.isGarbage() {
		tx.resolve(it, in)
	}
	if known := c.state() - it.clock; known > 0 {
		tx.dropKnown(it, known)
	}
	if it.place == nil {
		if it.ref == refString {
			tx.buried++
		}
		it.discard()
	} else {
		it.place = it.place.holding(it.newType())
		tx.link(it)
	}
	c.items = append(c.items, it)
	tx.doc.store.structs++
	if !it.isGarbage() {
		tx.enter(it)
	}
	return it
}

// newType returns the type that an item of that kind gets for its content, else nil.
func (it *item) newType() *sharedType {
	if it.ref != refType {
		return nil
	}
	return newType(it, "")
}

// enter counts an item that stands where it belongs, and deletes it if it came deleted,
// as an old value, or into what is deleted.
func (tx *transaction) enter(it *item) {
	tx.doc.store.content += it.text.len()
	tx.note(it)
	if it.ref == refDeleted {
		tx.deleted = append(tx.deleted, it.units())
		it.deleted = true
	}
	replaced := it.place.sub != nil && it.right != nil
	if owner := it.place.parent.owner; owner != nil && owner.deleted && it.ref == refString {
		tx.buried++
	}
	if owner := it.place.parent.owner; replaced || owner != nil && owner.deleted {
		tx.delete(it)
	}
}

// resolve finds the neighbours and the place of an item by the ids that came with it.
// The place stays nil when the parent, or the neighbour that it would be taken from, is
// garbage; else it may be that of a neighbour that is a type.
func (tx *transaction) resolve(it *item, in *incoming) {
	s := tx.doc.store
	if in.origin.exists() {
		by := s.clients[in.origin.client]
		it.originClient, it.originClock = by.ordinal, in.origin.clock
		it.left = tx.cleanEnd(by, it.originClock)
	}
	if in.rightOrigin.exists() {
		by := s.clients[in.rightOrigin.client]
		it.rightClient, it.rightClock = by.ordinal, in.rightOrigin.clock
		it.right = tx.cleanStart(by, it.rightClock)
	}
	switch {
	case it.left != nil && it.left.isGarbage(), it.right != nil && it.right.isGarbage():
	case it.left != nil:
		it.place = it.left.place
	case it.right != nil:
		it.place = it.right.place
	default:
		if parent := s.parent(in.parent); parent != nil {
			it.place = parent.at(in.sub)
		}
	}
}

// dropKnown cuts off what of an item has come before, and puts the rest behind that.
func (tx *transaction) dropKnown(it *item, known uint32) {
	if !it.isGarbage() {
		it.originClient, it.originClock = it.client.ordinal, it.clock+known-1
		it.left = tx.cleanEnd(it.client, it.originClock)
		it.place = it.left.place
		whole := it.content()
		it.text = shortOf(whole.split(known, it.length).text)
	}
	it.clock += known
	it.length -= known
}

// link puts an item into the list that it stands in.
func (tx *transaction) link(it *item) {
	parent, sub := it.place.parent, it.place.sub
	undisturbed := it.left != nil && it.left.right == it.right || it.left == nil && it.right != nil && it.right.left == nil
	if !undisturbed {
		it.left = tx.leftOf(it)
	}
	if it.left != nil {
		it.right = it.left.right
		it.left.right = it
	} else {
		head, steps := parent.first(sub)
		tx.cost += steps
		it.right = head
		if sub == nil {
			parent.start = it
		}
	}
	if it.right != nil {
		it.right.left = it
	} else if sub != nil {
		parent.setEntry(*sub, it)
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
	left := it.left
	var other *item
	if left != nil {
		other = left.right
	} else {
		head, steps := it.place.parent.first(it.place.sub)
		tx.cost += steps
		other = head
	}
	// Items met in this call have a round from first on; those met since left was
	// moved last, the round that is now.
	s := tx.doc.store
	first := s.nextRounds()
	for ; other != nil && other != it.right; other = other.right {
		tx.cost++
		other.seen = s.rounds
		if other.sameOrigin(it) {
			if other.client.number < it.client.number {
				left = other
				s.rounds++
			} else if other.sameRightOrigin(it) {
				break
			}
			continue
		}
		if other.originClient == 0 {
			break
		}
		origin := s.ordinals[other.originClient].find(other.originClock)
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

// maxRounds is after how many rounds they are counted from the beginning again. One
// call of leftOf has at most as many as there are structs, so 32 bits hold them.
const maxRounds = 1 << 31

// nextRounds begins a round and returns its number.
func (s *store) nextRounds() uint32 {
	if s.rounds > maxRounds {
		s.rounds = 0
		for _, c := range s.clients {
			for _, it := range c.items {
				it.seen = 0
			}
		}
	}
	s.rounds++
	return s.rounds
}
