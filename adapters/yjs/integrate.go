package yjs

// integrate inserts a ready struct into the document by the algorithm YATA. The struct
// goes between the units that it was written between. Among concurrent structs at the
// same place, every replica puts it at the same position. It returns the resulting item,
// and does not change the struct.
func (tx *transaction) integrate(in *updateStruct) *item {
	c := tx.touch(in.client)
	it := &item{text: shortBytesOf(in.text), client: c, clock: in.clock, length: in.length, ref: in.ref}
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

// newType returns the type for an item whose content is a type, else nil.
func (it *item) newType() *sharedType {
	if it.ref != refType {
		return nil
	}
	return newType(it, "")
}

// enter counts an item in its place. It deletes the item if it arrived deleted, is an old
// value, or is inside something deleted.
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

// resolve finds the neighbours and the place of an item by the ids that it came with. The
// place stays nil if the parent, or the neighbour from which it would be taken, is
// garbage. It may also be the place of a neighbour that is a type.
func (tx *transaction) resolve(it *item, in *updateStruct) {
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

// dropKnown removes the part of an item that is already known, and appends the rest to
// that part.
func (tx *transaction) dropKnown(it *item, known uint32) {
	if !it.isGarbage() {
		it.originClient, it.originClock = it.client.ordinal, it.clock+known-1
		it.left = tx.cleanEnd(it.client, it.originClock)
		it.place = it.left.place
		whole := it.content()
		it.text = shortBytesOf(whole.split(known, it.length).text)
	}
	it.clock += known
	it.length -= known
}

// link inserts an item into its list.
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

// leftOf finds, among the items between an item's origins, the one after which it
// belongs. Two items with the same left origin are ordered by client. An item whose left
// origin was passed belongs to that origin, so either both are passed or neither. Origins
// never cross, which makes the order the same everywhere.
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
	// Items that were met in this call have a round of at least first. Those that were
	// met since left last moved have the present round.
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

// maxRounds is the number after which rounds are counted from the start again. One call
// of leftOf has at most as many rounds as there are structs, so 32 bits suffice.
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
