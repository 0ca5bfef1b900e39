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

// Eventually ends the test unless a condition holds within Patience. It asks less often as time
// passes: each question may cost more than what is awaited.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	pause := 5 * time.Millisecond
	for begun := time.Now(); !is(); time.Sleep(pause) {
		if time.Since(begun) > Patience {
			t.Fatalf("waited %s in vain for %s", Patience, what)
		}
		pause = min(pause*3/2, 100*time.Millisecond)
	}
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
