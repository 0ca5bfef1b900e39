package nats

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/porttest"
	"github.com/atelierhq/atelier/ports/unsaved"
)

func TestUnsaved(t *testing.T) {
	porttest.TestUnsaved(t, func(t *testing.T) (here, there unsaved.Registry) {
		both := ends(t, 2)
		return both[0].Unsaved(), both[1].Unsaved()
	})
}

func TestThoseWhoEnterAtOnceKnowEachOther(t *testing.T) {
	all := ends(t, 8)
	for range 5 {
		project := core.NewID()
		var entering sync.WaitGroup
		withdrawals := make([]func(), len(all))
		for i, conn := range all {
			entering.Go(func() {
				var err error
				if withdrawals[i], err = conn.Unsaved().Keep(t.Context(), project, func(context.Context) error { return nil }); err != nil {
					t.Errorf("keep: %v", err)
				}
			})
		}
		entering.Wait()
		if t.Failed() {
			return
		}
		for i, conn := range all {
			// Whoever asks after all have entered hears of all of them, from anybody.
			processes, err := conn.unsaved.ask(t.Context(), project)
			if err != nil || len(processes) != len(all) {
				t.Errorf("process %d hears of %d processes, %v, want %d", i, len(processes), err, len(all))
			}
		}
		for _, withdraw := range withdrawals {
			withdraw()
		}
	}
}

func TestOnlyOneStandsInADoor(t *testing.T) {
	all, project := ends(t, 4), core.NewID()
	var inside, most atomic.Int32
	var running sync.WaitGroup
	for _, conn := range all {
		running.Go(func() {
			for range 10 {
				out, err := conn.unsaved.waitAtDoor(t.Context(), project)
				if err != nil {
					t.Errorf("door: %v", err)
					return
				}
				most.Store(max(most.Load(), inside.Add(1)))
				_ = conn.flush(t.Context()) // Long enough for somebody else to come in.
				inside.Add(-1)
				out()
			}
		})
	}
	running.Wait()
	if most.Load() != 1 {
		t.Errorf("got %d processes in the door at once, want 1", most.Load())
	}
}

func BenchmarkSaveOfWhatNobodyKeeps(b *testing.B) {
	registry, project := ends(b, 1)[0].Unsaved(), core.NewID()
	for b.Loop() {
		if err := registry.Save(b.Context(), project); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSaveInAnotherProcess(b *testing.B) {
	both, project := ends(b, 2), core.NewID()
	withdraw, err := both[1].Unsaved().Keep(b.Context(), project, func(context.Context) error { return nil })
	if err != nil {
		b.Fatal(err)
	}
	defer withdraw()
	for b.Loop() {
		if err := both[0].Unsaved().Save(b.Context(), project); err != nil {
			b.Fatal(err)
		}
	}
}
