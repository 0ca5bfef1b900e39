package main

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestGarbageMayGatherByAnAmountAndByAShare(t *testing.T) {
	for inUse, want := range map[uint64]uint64{4 << 20: 20 << 20, 12 << 20: 22 << 20, 1 << 30: 326 << 20, 16 << 30: 4934 << 20} {
		got := inUse / 100 * uint64(percentFor(inUse))
		if least, most := want-want/20, want+want/20; got < least || got > most {
			t.Errorf("with %d bytes in use: got %d bytes of garbage, want about %d", inUse, got, want)
		}
	}
	if got := percentFor(0); got < gcPercent || got > 10_000 {
		t.Errorf("with nothing in use: got %d percent, want a bound", got)
	}
}

// testCollector is a collector whose collections the test makes, in a bubble.
type testCollector struct {
	collector
	collect chan struct{}
	inUse   uint64
	set     []int
	given   atomic.Int32
}

func watch(t *testing.T) *testCollector {
	w := &testCollector{collect: make(chan struct{}, 1), inUse: 10 << 20}
	w.collector = collector{
		collected: w.collect, inUse: func() uint64 { return w.inUse },
		setPercent: func(percent int) { w.set = append(w.set, percent) },
		giveBack:   func() { w.given.Add(1); w.collect <- struct{}{} },
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return w
}

// collection simulates a collection that finds an amount of memory in use.
func (w *testCollector) collection(inUse uint64) {
	w.inUse = inUse
	w.collect <- struct{}{}
	synctest.Wait()
}

func TestThePercentageFollowsWhatIsInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		for _, inUse := range []uint64{10 << 20, 10 << 20, 1 << 30, 1 << 30, 10 << 20} {
			w.collection(inUse)
		}
		if want := []int{percentFor(10 << 20), percentFor(1 << 30), percentFor(10 << 20)}; !slices.Equal(w.set, want) {
			t.Errorf("got %v, want %v: one setting for each change", w.set, want)
		}
	})
}

func TestMemoryGoesBackOnceForEachRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		for range 10 {
			time.Sleep(gcRest - time.Second)
			w.collection(10 << 20)
		}
		if got := w.given.Load(); got != 0 {
			t.Errorf("got memory given back %d times under load, want it kept", got)
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if got := w.given.Load(); got != 1 {
			t.Errorf("got memory given back %d times at rest, want once", got)
		}
		w.collection(10 << 20)
		time.Sleep(2 * gcRest)
		synctest.Wait()
		if got := w.given.Load(); got != 2 {
			t.Errorf("got memory given back %d times in two rests, want once for each", got)
		}
	})
}

func TestCollectionsAreNoticed(t *testing.T) {
	collected := collections()
	for range 3 {
		runtime.GC()
		<-collected
	}
	if got := bytesInUse(); got < 100<<10 {
		t.Errorf("got %d bytes in use, want what the collection left", got)
	}
}
