// Package lockstest tests a locks.Locker against its port.
package lockstest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/locks"
)

// Run tests a locks.Locker against its contract. open returns two lockers that
// share their locks, as two processes do; where there is only one process, the
// same locker twice.
func Run(t *testing.T, open func(t *testing.T) (here, there locks.Locker)) {
	clauses := []struct {
		name  string
		check func(t *testing.T, here, there locks.Locker)
	}{
		{"only one caller holds a lock", excludes},
		{"a caller that waits gets the lock when it is given back", passesOn},
		{"other projects do not wait", separatesProjects},
		{"the end of the context ends the waiting and leaves the lock usable", honoursContext},
		{"a context that has ended gets no lock", refusesEndedContext},
		{"the end of the context does not give back a lock that is held", outlivesContext},
		{"giving back twice does nothing the second time", unlocksOnce},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) {
			here, there := open(t)
			clause.check(t, here, there)
		})
	}
}

func excludes(t *testing.T, here, there locks.Locker) {
	const workers, rounds = 8, 25
	project := core.NewID()
	var inside atomic.Int32
	count := 0
	var running sync.WaitGroup
	for w := range workers {
		locker := here
		if w%2 == 1 {
			locker = there
		}
		running.Go(func() {
			for range rounds {
				_, unlock, err := locker.Lock(t.Context(), project)
				if err != nil {
					t.Errorf("lock: %v", err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("got %d holders at once, want 1", n)
				}
				count++
				inside.Add(-1)
				unlock()
			}
		})
	}
	running.Wait()
	if want := workers * rounds; count != want {
		t.Errorf("got %d turns, want %d", count, want)
	}
}

func passesOn(t *testing.T, here, there locks.Locker) {
	project := core.NewID()
	unlock := mustLock(t, here, project)
	got := make(chan func(), 1)
	go func() {
		_, next, err := there.Lock(t.Context(), project)
		if err != nil {
			t.Errorf("lock: %v", err)
		}
		got <- next
	}()
	select {
	case <-got:
		t.Fatal("a second caller got the lock while it was held")
	case <-time.After(pause):
	}
	unlock()
	select {
	case next := <-got:
		next()
	case <-time.After(conformance.Patience):
		t.Fatal("the caller that waited did not get the lock")
	}
}

func separatesProjects(t *testing.T, here, there locks.Locker) {
	unlock := mustLock(t, here, core.NewID())
	defer unlock()
	mustLock(t, here, core.NewID())()
	mustLock(t, there, core.NewID())()
}

func honoursContext(t *testing.T, here, there locks.Locker) {
	project := core.NewID()
	unlock := mustLock(t, here, project)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(pause, cancel)
	if _, _, err := there.Lock(ctx, project); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	unlock()
	mustLock(t, there, project)()
}

func refusesEndedContext(t *testing.T, here, _ locks.Locker) {
	project := core.NewID()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if _, _, err := here.Lock(ctx, project); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want %v", err, context.Canceled)
		}
	}
	mustLock(t, here, project)()
}

func outlivesContext(t *testing.T, here, there locks.Locker) {
	project := core.NewID()
	ctx, cancel := context.WithCancel(t.Context())
	_, unlock, err := here.Lock(ctx, project)
	if err != nil {
		t.Fatalf("lock: %v", err)
	}
	cancel()
	wantHeld(t, there, project)
	unlock()
	mustLock(t, there, project)()
}

func unlocksOnce(t *testing.T, here, there locks.Locker) {
	project := core.NewID()
	first := mustLock(t, here, project)
	first()
	first()
	second := mustLock(t, there, project)
	first()
	wantHeld(t, here, project)
	second()
	mustLock(t, here, project)()
}

// pause is how long a suite watches that something does not happen.
const pause = 50 * time.Millisecond

// wantHeld fails the test if the lock is free.
func wantHeld(t *testing.T, locker locks.Locker, project core.ID) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), pause)
	defer cancel()
	if _, _, err := locker.Lock(ctx, project); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("lock that another holds: got %v, want %v", err, context.DeadlineExceeded)
	}
}

func mustLock(t *testing.T, locker locks.Locker, project core.ID) (unlock func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), conformance.Patience)
	_, release, err := locker.Lock(ctx, project)
	if err != nil {
		cancel()
		t.Fatalf("lock: %v", err)
	}
	return func() { release(); cancel() }
}
