package yjs

import "math"

// id names one unit of what a client has written: units of a client are numbered from
// 0 on, by its clock.
type id struct{ client, clock uint64 }

// noID stands where there is no id. No client has its number.
var noID = id{client: math.MaxUint64}

func (i id) exists() bool { return i != noID }

// item is a struct of a document: a run of units that one client wrote one after the
// other. Between the items of its parent it stands where left and right say; origin
// and rightOrigin name the units that it was written between and never change.
//
// An item is deleted by a mark. Its content goes at the end of the transaction; the
// item itself stays, because others may name it as their origin. What stood inside a
// deleted type becomes garbage (refGC), which has neither neighbours nor parent.
type item struct {
	id
	length              uint64
	origin, rightOrigin id
	left, right         *item
	parent              *sharedType
	// sub is the key of an item that is the value of a map, else nil. Items of a map
	// with the same key form a list of their own, whose last one is the value.
	sub     *string
	content content
	deleted bool
	// seen tells in which round of integration the item was met last.
	seen uint64
}

// end is the clock behind the item.
func (it *item) end() uint64 { return it.clock + it.length }

func (it *item) lastID() id { return id{it.client, it.clock + it.length - 1} }

func (it *item) isGarbage() bool { return it.content.ref == refGC }

// discard makes the item garbage.
func (it *item) discard() {
	*it = item{id: it.id, length: it.length, origin: noID, rightOrigin: noID, deleted: true}
}

// split cuts the item and returns its right part, which is next to it in the list of
// their parent.
func (it *item) split(at uint64) *item {
	right := &item{
		id: id{it.client, it.clock + at}, length: it.length - at,
		origin: id{it.client, it.clock + at - 1}, rightOrigin: it.rightOrigin,
		left: it, right: it.right, parent: it.parent, sub: it.sub,
		content: it.content.split(at, it.length), deleted: it.deleted,
	}
	it.length, it.right = at, right
	if right.right != nil {
		right.right.left = right
	} else if right.sub != nil {
		right.parent.entries[*right.sub] = right
	}
	return right
}

// absorbs reports whether the item and the one that follows in its client's list can
// become one.
func (it *item) absorbs(next *item) bool {
	if it.isGarbage() || next.isGarbage() {
		return it.content.ref == next.content.ref
	}
	return next.origin == it.lastID() && it.right == next && it.rightOrigin == next.rightOrigin &&
		it.deleted == next.deleted && it.content.ref == next.content.ref && it.content.ref.joins()
}

// absorb takes the next item in.
func (it *item) absorb(next *item) {
	it.length += next.length
	if it.isGarbage() {
		return
	}
	it.content.text = append(it.content.text, next.content.text...)
	it.right = next.right
	if it.right != nil {
		it.right.left = it
	} else if it.sub != nil && it.parent.entries[*it.sub] == next {
		it.parent.entries[*it.sub] = it
	}
}

// sharedType is what items stand in: a list, a map, or both at once. Texts, arrays and
// elements of XML are lists. One with an owner is that item's content; one without
// stands at the root of the document under a name.
type sharedType struct {
	owner   *item
	name    string
	start   *item
	entries map[string]*item
}

// first returns the head of the list of a key, or of the list itself.
func (t *sharedType) first(sub *string) (head *item, steps int) {
	if sub == nil {
		return t.start, 0
	}
	head = t.entries[*sub]
	for head != nil && head.left != nil {
		head, steps = head.left, steps+1
	}
	return head, steps
}

func (t *sharedType) setEntry(sub string, it *item) {
	if t.entries == nil {
		t.entries = map[string]*item{}
	}
	t.entries[sub] = it
}

// ref is how an update names the type as a parent.
func (t *sharedType) ref() parentRef {
	if t.owner != nil {
		return parentRef{item: t.owner.id}
	}
	return parentRef{item: noID, root: t.name}
}

// parentRef names a parent: by the item that it is the content of, or by its name.
type parentRef struct {
	item id
	root string
}
