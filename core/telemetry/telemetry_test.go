package telemetry

import (
	"slices"
	"sync"
	"testing"
)

func TestATallyCountsWhatIsUnderWay(t *testing.T) {
	tally := New()
	tally.Add(Sandboxes, "server", 0)
	first, second := tally.Enter(Sandboxes, "command"), tally.Enter(Sandboxes, "command")
	first()
	first()
	if got, want := tally.Samples(), []Sample{{Sandboxes, "command", 1}, {Sandboxes, "server", 0}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	second()
	if got := tally.Samples()[0].Value; got != 0 {
		t.Errorf("got %v when both have left, want 0", got)
	}
	var none *Tally
	none.Enter(Sandboxes, "command")()
}

func TestATallyAddsUpBySeries(t *testing.T) {
	tally := New()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				tally.Add(Runs, "done", 1)
				tally.Add(Cost, "", 0.5)
			}
		})
	}
	all.Wait()
	tally.Add(Runs, "stopped", 1)
	want := []Sample{{Cost, "", 400}, {Runs, "done", 800}, {Runs, "stopped", 1}}
	if got := tally.Samples(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var none *Tally
	none.Add(Runs, "done", 1)
	if got := none.Samples(); got != nil {
		t.Errorf("got %v of a tally that counts nothing, want none", got)
	}
}
