package chromium

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
)

// resting returns a process that notes when it is stopped.
func resting(tenant string, stopped *atomic.Int32) *instance {
	return &instance{tenant: tenant, stop: func() { stopped.Add(1) }, isGone: func() bool { return false }}
}

func TestAProcessThatNobodyUsesEndsAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stopped := New(Config{}), new(atomic.Int32)
		// count returns the processes that rest and those that run.
		count := func() (resting, running int) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return len(b.resting), len(b.running)
		}
		host := resting("one", stopped)
		rest := func() {
			b.mu.Lock()
			b.running[host] = struct{}{}
			b.mu.Unlock()
			b.giveBack(host, true)
		}
		rest()
		time.Sleep(50 * time.Second)
		if taken, err := b.take(t.Context(), "one"); taken != host || err != nil {
			t.Fatalf("got %v, %v, want the process that rests", taken, err)
		}
		// The minute begins anew when it rests again.
		time.Sleep(time.Minute)
		rest()
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if resting, _ := count(); stopped.Load() != 0 || resting != 1 {
			t.Errorf("got %d stops and %d resting processes before the minute is over, want it to rest", stopped.Load(), resting)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if resting, running := count(); stopped.Load() != 1 || resting != 0 || running != 0 {
			t.Errorf("got %d stops, %d resting and %d running processes after a minute, want one, and none", stopped.Load(), resting, running)
		}
	})
}

func TestAProcessThatRestsWhenTheServiceStopsEnds(t *testing.T) {
	b, stopped := New(Config{}), new(atomic.Int32)
	b.giveBack(resting("one", stopped), true)
	b.Close()
	b.giveBack(resting("two", stopped), true)
	if _, err := b.take(t.Context(), "one"); stopped.Load() != 2 || !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %d stops and %v, want two and code %s", stopped.Load(), err, core.CodeUnavailable)
	}
}
