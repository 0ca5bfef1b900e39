package yjs

import (
	"testing"

	"github.com/atelierhq/atelier/ports/replica"
)

// check checks the invariants of a document between transactions.
func check(t testing.TB, d replica.Document) {
	t.Helper()
	s := d.(*Document).store
	structs, content := 0, 0
	for number, c := range s.clients {
		clock := uint32(0)
		for i, it := range c.items {
			if it.client != c || c.number != number || it.clock != clock || it.length == 0 {
				t.Fatalf("item %d of client %d is %d:%d+%d, want one from clock %d on", i, number, it.client.number, it.clock, it.length, clock)
			}
			checkItem(t, s, it)
			clock, structs, content = it.end(), structs+1, content+it.text.len()
		}
	}
	if structs != s.structs || content != s.content {
		t.Fatalf("got %d structs and %d bytes in the counts, want %d and %d", s.structs, s.content, structs, content)
	}
}

func checkItem(t testing.TB, s *store, it *item) {
	t.Helper()
	if it.isGarbage() {
		if it.left != nil || it.right != nil || it.place != nil || !it.deleted || it.text != (shortBytes{}) {
			t.Fatalf("the garbage %v has more than a length", it.id())
		}
		return
	}
	switch {
	case it.place == nil:
		t.Fatalf("item %v has no parent", it.id())
	case it.left != nil && it.left.right != it, it.right != nil && it.right.left != it:
		t.Fatalf("item %v is not what its neighbours are next to", it.id())
	case it.left == nil && it.place.sub == nil && it.place.parent.start != it:
		t.Fatalf("item %v is not where its list begins", it.id())
	case it.right == nil && it.place.sub != nil && it.place.parent.entries[*it.place.sub] != it:
		t.Fatalf("item %v is not the value of its key", it.id())
	case it.right != nil && it.place.sub != nil && !it.deleted && it.right.origin() != it.lastID(): // a value of several units may be cut
		t.Fatalf("item %v is an old value and not deleted", it.id())
	case (it.typ() != nil) != (it.ref == refType), it.typ() != nil && it.typ().owner != it:
		t.Fatalf("item %v of kind %d has a type of another, or none", it.id(), it.ref)
	case it.place.sub == nil && it.typ() == nil && it.place != &it.place.parent.items:
		t.Fatalf("item %v has a place that is not its list's", it.id())
	case it.deleted != (it.ref == refDeleted):
		t.Fatalf("item %v: deleted is %v, and its content of kind %d", it.id(), it.deleted, it.ref)
	case it.ref == refString && utf16Length(it.text.bytes()) != it.length:
		t.Fatalf("item %v has a length of %d, want that of %q", it.id(), it.length, it.text.bytes())
	case cap(it.text.bytes()) > 4*it.text.len()+256:
		t.Fatalf("item %v holds %d bytes for %d", it.id(), cap(it.text.bytes()), it.text.len())
	}
	if owner := it.place.parent.owner; owner != nil && (s.find(owner.id()) != owner || owner.typ() != it.place.parent) {
		t.Fatalf("item %v is in a type that is gone", it.id())
	}
}
