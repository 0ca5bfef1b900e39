package buildworker

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAWorkerGivesMemoryBackOnceItHasNoWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var given atomic.Int32
		b := newMemoryReleaser(func() { given.Add(1) })
		want := func(after time.Duration, times int32) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := given.Load(); got != times {
				t.Errorf("got memory given back %d times, want %d", got, times)
			}
		}
		b.begin()
		want(time.Hour, 0)
		b.begin() // A call that was cancelled may still go on when the next one begins.
		b.end()
		want(time.Hour, 0)
		b.end()
		want(idleTime-1, 0)
		b.begin()
		b.end()
		want(idleTime-1, 0)
		want(2, 1)
		want(time.Hour, 1)
		b.begin()
		b.end()
		want(2*idleTime, 2)
	})
}
