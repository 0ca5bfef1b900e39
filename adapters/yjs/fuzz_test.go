package yjs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// FuzzApply applies foreign bytes to a document with a history. Either they are refused
// and change nothing, or the document is sound, can be edited, and can be restored from
// its own state.
func FuzzApply(f *testing.F) {
	for _, trace := range traces(f) {
		f.Add(trace.State)
		for _, update := range trace.Updates[:min(4, len(trace.Updates))] {
			f.Add(update)
		}
	}
	base := encoded(f, opened(f, traces(f)["at_random_3.json"].State), nil)
	f.Fuzz(func(t *testing.T, update []byte) {
		applyHostile(t, opened(t, nil), update)
		applyHostile(t, opened(t, base), update)
	})
}

func applyHostile(t *testing.T, d *Document, update []byte) {
	t.Helper()
	before := encoded(t, d, nil)
	heard := opened(t, before)
	change, err := d.Apply(update)
	check(t, d)
	if err != nil {
		if got := encoded(t, d, nil); !slices.Equal(got, before) {
			t.Fatalf("a refused update changed the state: got %x, want %x", got, before)
		}
		return
	}
	if change.Update != nil {
		apply(t, heard, change.Update)
		if got, want := heard.StateVector(), d.StateVector(); !slices.Equal(got, want) {
			t.Fatalf("who hears the change: got the state vector %x, want %x", got, want)
		}
	}
	if again, err := d.Apply(update); err != nil || again.Update != nil {
		t.Fatalf("the update once more: got %x, %v, want nothing", again.Update, err)
	}
	if _, err := d.Edit(core.MustPath("a.txt"), []replica.Edit{{Insert: "edit"}}); err != nil {
		t.Fatalf("an edit: %v", err)
	}
	check(t, d)
	reopened := opened(t, encoded(t, d, nil))
	if got, want := reopened.StateVector(), d.StateVector(); !slices.Equal(got, want) {
		t.Fatalf("reopened: got the state vector %x, want %x", got, want)
	}
}

// TestMangledTraces changes bytes of real updates, which gets further into an update
// than chance does.
func TestMangledTraces(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for name, trace := range traces(t) {
		t.Run(name, func(t *testing.T) {
			d := opened(t, nil)
			for range 500 {
				update := slices.Clone(trace.Updates[random.IntN(len(trace.Updates))])
				for range random.IntN(4) {
					update[random.IntN(len(update))] = byte(random.IntN(256))
				}
				if _, err := d.Apply(update); err == nil {
					check(t, d)
				}
			}
			opened(t, encoded(t, d, nil))
		})
	}
}
