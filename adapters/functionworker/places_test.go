package functionworker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// TestWhoWaitsTooLongForAPlaceIsToldToComeBack has a workspace whose functions hold all of its places.
// Nobody waits longer than they said, and other workspaces do not wait at all.
func TestWhoWaitsTooLongForAPlaceIsToldToComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(Config{})
		defer p.Close()
		for range callsAtATime / 2 {
			if err := p.places.Acquire(t.Context(), "burning", 1); err != nil {
				t.Fatal(err)
			}
		}
		call, began := functions.Call{Tenant: "burning", Wait: functions.MaxWait}, time.Now()
		_, err := p.Run(t.Context(), call, nil)
		if known, ok := errors.AsType[*core.Error](err); !ok || known.Code != core.CodeUnavailable || known.RetryAfter <= 0 || time.Since(began) != functions.MaxWait {
			t.Errorf("got %v after %s, want it unavailable, with when to come back, after %s", err, time.Since(began), functions.MaxWait)
		}
		if held := p.places.Held("burning"); held != callsAtATime/2 {
			t.Errorf("got %d places held, want those of who runs", held)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.Run(ctx, call, nil); !errors.Is(err, context.DeadlineExceeded) || core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v from a caller who left, want that", err)
		}
		if err := p.enter(t.Context(), functions.Call{Tenant: "other", Wait: functions.MaxWait}); err != nil {
			t.Errorf("got %v for another workspace, want a place", err)
		}
		time.AfterFunc(functions.MaxWait+time.Second, func() { p.places.Release("burning", 1) })
		if err := p.enter(t.Context(), functions.Call{Tenant: "burning"}); err != nil {
			t.Errorf("got %v for a schedule, for which nobody waits, want the next place", err)
		}
	})
}
