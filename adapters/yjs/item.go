package yjs

import "math"

// id identifies one unit of a client. A client's units are numbered from 0, by its clock.
type id struct {
	client uint64
	clock  uint32
}

// noID means that there is no id. No client has its number.
var noID = id{client: math.MaxUint64}

func (i id) exists() bool { return i != noID }

// item is a struct of a document: a run of units that one client wrote in sequence. left
// and right are its present neighbours. Its origin and right origin are the units between
// which it was written; they never change.
//
// An item is deleted by a mark. Its content is removed at the end of the transaction; the
// item itself stays as a tombstone, because others may name it as their origin. The items
// inside a deleted type become garbage (refGC), which has neither neighbours nor a place.
//
// Most of the memory of a document is its items, so the fields are as small and as few as
// possible: 80 bytes, which is also a size class of the allocator.
type item struct {
	left, right *item
	place       *place     // nil for garbage
	text        shortBytes // of the content
	client      *clientStructs
	// originClient and rightClient are the ordinals of the origins' clients; originClock
	// and rightClock are their clocks. Without an origin they are 0.
	clock, originClient, originClock uint32
	length, rightClient, rightClock  uint32
	// seen is the last round of integration in which the item was met.
	seen    uint32
	ref     ref // of the content
	deleted bool
}

func (it *item) id() id { return id{it.client.number, it.clock} }

// end is the clock after the item.
func (it *item) end() uint32 { return it.clock + it.length }

func (it *item) lastID() id { return id{it.client.number, it.end() - 1} }

func (it *item) origin() id { return it.client.idOf(it.originClient, it.originClock) }

func (it *item) rightOrigin() id { return it.client.idOf(it.rightClient, it.rightClock) }

func (it *item) sameOrigin(other *item) bool {
	return it.originClient == other.originClient && it.originClock == other.originClock
}

func (it *item) sameRightOrigin(other *item) bool {
	return it.rightClient == other.rightClient && it.rightClock == other.rightClock
}

func (it *item) content() content { return content{it.ref, it.text.bytes()} }

// parent is the type that contains the item, nil for garbage.
func (it *item) parent() *sharedType {
	if it.place == nil {
		return nil
	}
	return it.place.parent
}

// sub is the key of an item that is the value of a map, else nil.
func (it *item) sub() *string {
	if it.place == nil {
		return nil
	}
	return it.place.sub
}

// typ is the type that is the content of the item, else nil.
func (it *item) typ() *sharedType {
	if it.place == nil {
		return nil
	}
	return it.place.typ
}

// isText reports whether the content is a text.
func (it *item) isText() bool { return it.ref == refType && it.text.bytes()[0] == typeText }

func (it *item) isGarbage() bool { return it.ref == refGC }

// discard turns the item into garbage.
func (it *item) discard() {
	*it = item{client: it.client, clock: it.clock, length: it.length, deleted: true}
}

// empty removes the content of a deleted item.
func (it *item) empty() {
	it.ref, it.text, it.place = refDeleted, shortBytes{}, it.place.holding(nil)
}

// split cuts the item and returns its right part, which follows it in the list of their
// parent.
func (it *item) split(at uint32) *item {
	kept := it.content()
	right := &item{
		left: it, right: it.right, place: it.place, text: shortBytesOf(kept.split(at, it.length).text),
		client: it.client, originClient: it.client.ordinal, rightClient: it.rightClient,
		clock: it.clock + at, length: it.length - at, originClock: it.clock + at - 1, rightClock: it.rightClock,
		ref: it.ref, deleted: it.deleted,
	}
	it.length, it.text, it.right = at, shortBytesOf(kept.text), right
	if right.right != nil {
		right.right.left = right
	} else if sub := right.sub(); sub != nil {
		right.parent().entries[*sub] = right
	}
	return right
}

// absorbs reports whether the item and the next one in its client's list can be merged.
func (it *item) absorbs(next *item) bool {
	if it.isGarbage() || next.isGarbage() {
		return it.ref == next.ref
	}
	return it.right == next && next.originClient == it.client.ordinal && next.originClock == it.end()-1 &&
		it.sameRightOrigin(next) && it.deleted == next.deleted && it.ref == next.ref && it.ref.joins()
}

// absorb merges the next item into this one.
func (it *item) absorb(next *item) {
	it.length += next.length
	if it.isGarbage() {
		return
	}
	it.text = shortBytesOf(append(it.text.bytes(), next.text.bytes()...))
	it.right = next.right
	if it.right != nil {
		it.right.left = it
	} else if sub := it.sub(); sub != nil && it.parent().entries[*sub] == next {
		it.parent().entries[*sub] = it
	}
}
