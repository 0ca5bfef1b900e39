package buildworker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

// TestTheSlowCallsOfOneTenantKeepNoOtherWaiting fills all places, and all of those in
// the background, with one tenant's calls.
func TestTheSlowCallsOfOneTenantKeepNoOtherWaiting(t *testing.T) {
	for name, patience := range map[string]time.Duration{"at once": time.Hour, "in the background": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			pool := open(t, func(c *buildworker.Config) { c.Workers, c.Patience, c.CheckCPU = 1, patience, time.Hour })
			greedy, cancel := context.WithCancel(fair.WithTenant(t.Context(), "greedy"))
			const calls = 4
			ended := make(chan error, calls)
			for range calls {
				go func() {
					_, err := pool.Syntax(greedy, "a.js", []byte(poisons()["200,000 commas"]))
					ended <- err
				}()
			}
			eventually(t, "a worker at work", func() []int { return workers(t) })
			for _, tenant := range []core.ID{"one", "other"} {
				ctx := fair.WithTenant(t.Context(), tenant)
				if found, err := pool.Syntax(ctx, "b.js", []byte("const a = 1")); err != nil || len(found) > 0 {
					t.Errorf("got %+v and %v, want a source that is good", found, err)
				}
			}
			if len(ended) > 0 {
				t.Errorf("got %v from a slow call, want all of them under way while others were served", <-ended)
			}
			cancel()
			for range calls {
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("got %v from a slow call, want it cancelled", err)
				}
			}
		})
	}
}
