package replicatest

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func renews(t *testing.T, r replicas) {
	a, b := r.pair("young")
	text := strings.Repeat("ab", 500)
	a.edit("worn", 0, 0, text)
	for at := len(text) - 1; at > 0; at -= 2 {
		a.edit("worn", at, 0, "ü")
	}
	worn := strings.Repeat("aüb", 500)
	a.want("worn", worn)
	b.sync(a)
	pieces := a.Stats().Structs
	if change := a.Renew(pieces + 1); change.Update != nil || a.Stats().Structs != pieces {
		t.Errorf("got %d pieces of %d, want all where too few would go", a.Stats().Structs, pieces)
	}
	change := a.Renew(pieces / 2)
	if len(change.Paths) != 1 || change.Paths[0] != core.MustPath("worn") {
		t.Errorf("got changed paths %v, want worn", change.Paths)
	}
	late := b.edit("worn", 0, 0, "late ")
	b.apply(change.Update)
	for name, d := range map[string]doc{"here": a, "elsewhere": b} {
		d.want("worn", worn)
		if got := d.Stats().Structs; got > 20 {
			t.Errorf("%s: got %d pieces, want few", name, got)
		}
	}
	if got := a.apply(late).Buried; got != 1 {
		t.Errorf("a late edit: got %d pieces buried, want 1", got)
	}
	if got := a.apply(b.edit("worn", 1, 0, "!")).Buried; got != 0 {
		t.Errorf("an edit of the new text: got %d pieces buried, want none", got)
	}
	wantSame(t, a, b)
	if change := a.Renew(1); change.Update != nil {
		t.Error("got recreated texts, want none")
	}
	r.open(a.encode(nil)).want("worn", "a!"+worn[1:])
}
