package buildworker

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAWorkerGivesMemoryBackOnceItHasNoWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		given := 0
		b := newBreather(func() { given++ })
		want := func(after time.Duration, times int) {
			t.Helper()
			time.Sleep(after)
			if synctest.Wait(); given != times {
				t.Errorf("got memory given back %d times, want %d", given, times)
			}
		}
		b.begin()
		want(time.Hour, 0)
		b.begin() // A call that was cancelled may still go on when the next one begins.
		b.end()
		want(time.Hour, 0)
		b.end()
		want(breath-1, 0)
		b.begin()
		b.end()
		want(breath-1, 0)
		want(2, 1)
		want(time.Hour, 1)
		b.begin()
		b.end()
		want(2*breath, 2)
	})
}
