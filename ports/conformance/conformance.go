package conformance

import (
	"context"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
)

// Patience is how long a suite waits for an expected event. Only a broken adapter
// makes it wait that long.
const Patience = 2 * time.Minute

// Must ends the test if a step failed that the test does not examine.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Becomes reports whether a condition comes to hold within Patience. It asks less often as time
// passes: each question may cost more than what is awaited.
func Becomes(is func() bool) bool {
	pause := 5 * time.Millisecond
	for begun := time.Now(); !is(); time.Sleep(pause) {
		if time.Since(begun) > Patience {
			return false
		}
		pause = min(pause*3/2, 100*time.Millisecond)
	}
	return true
}

// Eventually ends the test unless a condition comes to hold, as Becomes says.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	if !Becomes(is) {
		t.Fatalf("waited %s in vain for %s", Patience, what)
	}
}

// Await returns what comes from a channel, the zero value of one that closes. It ends the test
// unless something does within Patience.
func Await[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	late := time.NewTimer(Patience)
	defer late.Stop()
	select {
	case got := <-from:
		return got
	case <-late.C:
		t.Fatalf("waited %s in vain for %s", Patience, what)
		panic("unreachable")
	}
}

// Bounded returns a context that ends with the test, at the latest after Patience: for calls that
// might otherwise wait forever.
func Bounded(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// MustClose is Must of a call to Close, for defer.
func MustClose(t *testing.T, closer io.Closer) {
	t.Helper()
	Must(t, closer.Close())
}

// WantCode fails the test unless err has the code; what names the call.
func WantCode(t *testing.T, what string, err error, want core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Errorf("%s: got %q (%v), want %q", what, got, err, want)
	}
}

// LostLock returns the context of work under a lock that was lost.
func LostLock(ctx context.Context) context.Context { return LosingLock(ctx, 0) }

// LosingLock returns the context of work under a lock that is lost after held
// successful checks.
func LosingLock(ctx context.Context, held int32) context.Context {
	var asked atomic.Int32
	return locks.With(ctx, func() error {
		if asked.Add(1) <= held {
			return nil
		}
		return core.Errorf(core.CodeUnavailable, "the lock was lost")
	})
}
