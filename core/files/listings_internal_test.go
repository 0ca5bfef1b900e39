package files

import (
	"testing"

	"github.com/atelierhq/atelier/core"
)

func listingOf(n int, revision int64) *Listing {
	return &Listing{Entries: make([]core.FileEntry, n), revision: revision}
}

func TestListingsForgetTheProjectsNotAskedForTheLongest(t *testing.T) {
	held := newListings(10)
	held.put("a", listingOf(4, 1))
	held.put("b", listingOf(4, 1))
	held.get("a")
	held.put("c", listingOf(4, 1))
	if held.get("b") != nil || held.get("a") == nil || held.get("c") == nil {
		t.Error("want a and c held, b forgotten")
	}
	held.put("d", listingOf(50, 1))
	if held.get("d") == nil || held.get("a") != nil || held.get("c") != nil {
		t.Error("want only the newest held")
	}
	held.drop("d")
	if held.get("d") != nil {
		t.Error("want nothing held")
	}
}

func TestListingsKeepTheNewerOfTwo(t *testing.T) {
	held := newListings(10)
	held.put("a", listingOf(1, 2))
	held.put("a", listingOf(2, 1))
	if got := held.get("a").revision; got != 2 {
		t.Errorf("got revision %d, want 2", got)
	}
}
