package chromium

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
)

// resting returns a process that notes when it is stopped.
func resting(tenant string, stopped *int) *instance {
	return &instance{tenant: tenant, stop: func() { *stopped++ }, isGone: func() bool { return false }}
}

func TestAProcessThatNobodyUsesEndsAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stopped := New(Config{}), 0
		host := resting("one", &stopped)
		rest := func() {
			b.running[host] = struct{}{}
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
		if stopped != 0 || len(b.resting) != 1 {
			t.Errorf("got %d stops and %d resting processes before the minute is over, want it to rest", stopped, len(b.resting))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if stopped != 1 || len(b.resting) != 0 || len(b.running) != 0 {
			t.Errorf("got %d stops, %d resting and %d running processes after a minute, want one, and none", stopped, len(b.resting), len(b.running))
		}
	})
}

func TestAProcessThatRestsWhenTheServiceStopsEnds(t *testing.T) {
	b, stopped := New(Config{}), 0
	b.giveBack(resting("one", &stopped), true)
	b.Close()
	b.giveBack(resting("two", &stopped), true)
	if _, err := b.take(t.Context(), "one"); stopped != 2 || !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %d stops and %v, want two and code %s", stopped, err, core.CodeUnavailable)
	}
}
