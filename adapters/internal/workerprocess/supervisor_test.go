package workerprocess

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
)

// fakeWorker is usable until it retires.
type fakeWorker struct {
	retired atomic.Bool
	// dismissed counts the calls of Dismiss, which takes as long as ending.
	dismissed atomic.Int32
	ending    time.Duration
}

func (w *fakeWorker) Usable() bool { return !w.retired.Load() && w.dismissed.Load() == 0 }

func (w *fakeWorker) Dismiss() {
	time.Sleep(w.ending)
	w.dismissed.Add(1)
}

// idleFor is how long the workers of the tests stay without calls.
const idleFor = time.Minute

func newFakes() *Supervisor[*fakeWorker] {
	return NewSupervisor(idleFor, func() (*fakeWorker, error) { return &fakeWorker{ending: time.Second}, nil })
}

// use begins a call.
func use(t *testing.T, s *Supervisor[*fakeWorker]) (*fakeWorker, func()) {
	t.Helper()
	worker, release, err := s.Use()
	if err != nil {
		t.Fatal(err)
	}
	return worker, release
}

func TestCallsShareAWorkerThatEndsWhenItIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakes()
		defer s.Close()
		if _, ok := s.Current(); ok {
			t.Error("there is a worker before the first call")
		}
		first, releaseFirst := use(t, s)
		second, releaseSecond := use(t, s)
		if first != second {
			t.Fatal("two calls have two workers")
		}
		releaseFirst()
		time.Sleep(2 * idleFor)
		if first.dismissed.Load() != 0 {
			t.Fatal("the worker was ended in the middle of a call")
		}
		releaseSecond()
		time.Sleep(idleFor - time.Second)
		again, release := use(t, s)
		release()
		if again != first {
			t.Error("the idle worker was not used again")
		}
		time.Sleep(idleFor - time.Second)
		if first.dismissed.Load() != 0 {
			t.Error("the second call did not begin the idle time anew")
		}
		time.Sleep(time.Minute)
		if first.dismissed.Load() != 1 {
			t.Error("the idle worker stays")
		}
		if next, release := use(t, s); next == first {
			t.Error("a call got a worker that was ended")
		} else {
			release()
		}
	})
}

func TestAWorkerThatRetiresIsReplacedAndEndsWithItsLastCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakes()
		defer s.Close()
		old, release := use(t, s)
		old.retired.Store(true)
		next, releaseNext := use(t, s)
		if next == old {
			t.Fatal("a retired worker got a call")
		}
		releaseNext()
		time.Sleep(idleFor / 2)
		if old.dismissed.Load() != 0 {
			t.Error("the retired worker was ended in the middle of its call")
		}
		release()
		time.Sleep(2 * time.Second)
		if old.dismissed.Load() != 1 || next.dismissed.Load() != 0 {
			t.Errorf("dismissed: the retired worker %d times, the next %d, want 1 and 0", old.dismissed.Load(), next.dismissed.Load())
		}
		next.retired.Store(true) // while it is idle
		third, releaseThird := use(t, s)
		defer releaseThird()
		time.Sleep(2 * time.Second)
		if third == next || next.dismissed.Load() != 1 {
			t.Error("an idle worker that retired is still there")
		}
	})
}

func TestCloseEndsAllWorkersAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakes()
		retired, release := use(t, s)
		retired.retired.Store(true)
		current, releaseCurrent := use(t, s)
		s.Close()
		if retired.dismissed.Load() != 1 || current.dismissed.Load() != 1 {
			t.Error("Close returned before the end of the workers")
		}
		release()
		releaseCurrent()
		if _, _, err := s.Use(); core.CodeOf(err) != core.CodeUnavailable {
			t.Errorf("a call after Close: got %v, want %s", err, core.CodeUnavailable)
		}
		time.Sleep(2 * idleFor)
		if retired.dismissed.Load() != 1 || current.dismissed.Load() != 1 {
			t.Error("a worker was ended twice")
		}
	})
}

func TestCloseWaitsForAWorkerThatIsAlreadyEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakes()
		worker, release := use(t, s)
		worker.retired.Store(true)
		release()
		s.Close()
		if worker.dismissed.Load() != 1 {
			t.Error("Close returned before the end of the worker")
		}
	})
}

func TestAFailedStartIsTriedAgain(t *testing.T) {
	full := errors.New("no processes left")
	failing := true
	s := NewSupervisor(idleFor, func() (*fakeWorker, error) {
		if failing {
			return nil, full
		}
		return &fakeWorker{}, nil
	})
	defer s.Close()
	if _, _, err := s.Use(); !errors.Is(err, full) {
		t.Fatalf("got %v, want %v", err, full)
	}
	failing = false
	_, release := use(t, s)
	release()
}
