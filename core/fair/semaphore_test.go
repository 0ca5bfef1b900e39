package fair_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

// desk is a semaphore whose callers report when they are served.
type desk struct {
	*testing.T
	*fair.Semaphore

	mu     sync.Mutex
	served []string
}

// ask acquires n for a tenant in a goroutine of its own, and returns once that waits
// or is served.
func (d *desk) ask(ctx context.Context, name string, tenant core.ID, n int64) {
	d.Helper()
	go func() {
		if d.Acquire(ctx, tenant, n) == nil {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.served = append(d.served, name)
		}
	}()
	synctest.Wait()
}

func (d *desk) give(tenant core.ID, n int64) {
	d.Release(tenant, n)
	synctest.Wait()
}

func (d *desk) wantServed(want ...string) {
	d.Helper()
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.Sort(d.served)
	if !slices.Equal(d.served, want) {
		d.Fatalf("served %q, want %q", d.served, want)
	}
	d.served = nil
}

func at(t *testing.T, bounds fair.Bounds, story func(*desk, context.Context)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		story(&desk{T: t, Semaphore: fair.New(bounds)}, ctx)
	})
}

func TestANewcomerIsServedWhileOneTenantHoldsAllItMay(t *testing.T) {
	at(t, fair.Bounds{Capacity: 3, Reserve: 1}, func(d *desk, ctx context.Context) {
		for _, name := range []string{"a1", "a2", "a3", "a4"} {
			d.ask(ctx, name, "a", 1)
		}
		d.wantServed("a1", "a2", "a3")
		d.ask(ctx, "b1", "b", 1)
		d.wantServed("b1")
		d.ask(ctx, "b2", "b", 1)
		d.wantServed()
		if full, everybody := d.Full(); !everybody {
			d.Fatalf("got %v, want nobody to have a place", full)
		}
	})
}

func TestWhatBecomesFreeGoesToWhoHoldsLeastAndAmongEqualsToWhoCameFirst(t *testing.T) {
	at(t, fair.Bounds{Capacity: 4}, func(d *desk, ctx context.Context) {
		for _, name := range []string{"a1", "a2", "a3", "a4", "a5"} {
			d.ask(ctx, name, "a", 1)
		}
		d.wantServed("a1", "a2", "a3", "a4")
		for _, call := range []struct {
			name   string
			tenant core.ID
		}{{"b1", "b"}, {"b2", "b"}, {"c1", "c"}, {"c2", "c"}} {
			d.ask(ctx, call.name, call.tenant, 1)
		}
		for _, want := range []string{"b1", "c1", "a5"} {
			d.give("a", 1)
			d.wantServed(want)
		}
		d.give("a", 1)
		d.wantServed("b2")
		d.give("b", 1)
		d.wantServed("c2")
	})
}

func TestATenantsOwnCallsKeepTheirOrder(t *testing.T) {
	at(t, fair.Bounds{Capacity: 10}, func(d *desk, ctx context.Context) {
		d.ask(ctx, "a1", "a", 10)
		d.ask(ctx, "large", "a", 8)
		d.ask(ctx, "small", "a", 1)
		d.wantServed("a1")
		d.give("a", 2)
		d.wantServed()
		d.give("a", 6)
		d.wantServed("large")
		d.give("a", 1)
		d.wantServed("small")
	})
}

func TestALargeCallIsNotOvertakenForEver(t *testing.T) {
	at(t, fair.Bounds{Capacity: 10, Reserve: 2, Small: 2}, func(d *desk, ctx context.Context) {
		d.ask(ctx, "a", "a", 8)
		d.ask(ctx, "large", "b", 5)
		d.ask(ctx, "medium", "c", 3)
		d.ask(ctx, "small", "d", 2)
		d.wantServed("a", "small")
		d.give("a", 4)
		d.wantServed()
		d.give("a", 1)
		d.wantServed("large")
	})
}

func TestOneTenantIsHeldToAPartOfTheRoom(t *testing.T) {
	at(t, fair.Bounds{Capacity: 4, PerTenant: 2}, func(d *desk, ctx context.Context) {
		for _, name := range []string{"a1", "a2", "a3"} {
			d.ask(ctx, name, "a", 1)
		}
		d.wantServed("a1", "a2")
		if full, everybody := d.Full(); everybody || !slices.Equal(full, []core.ID{"a"}) {
			d.Fatalf("got %v and %t, want a alone to be full", full, everybody)
		}
		d.ask(ctx, "b1", "b", 1)
		d.ask(ctx, "b2", "b", 1)
		d.wantServed("b1", "b2")
		d.give("a", 1)
		d.wantServed("a3")
	})
}

func TestWhoGivesUpWaitingHoldsNothingAndIsInNobodysWay(t *testing.T) {
	at(t, fair.Bounds{Capacity: 10}, func(d *desk, ctx context.Context) {
		d.ask(ctx, "a", "a", 6)
		leaving, leave := context.WithCancel(ctx)
		d.ask(leaving, "large", "b", 8)
		d.ask(ctx, "after", "c", 4)
		d.wantServed("a")
		leave()
		d.wantServed("after")
		if held := d.Held("b"); held != 0 {
			d.Fatalf("a call that gave up holds %d, want 0", held)
		}
		if err := d.Acquire(leaving, "b", 1); !errors.Is(err, context.Canceled) {
			d.Fatalf("got %v for a context that is over, want %v", err, context.Canceled)
		}
	})
}

func TestWhatIsTriedWaitsForNothingAndOvertakesNobody(t *testing.T) {
	at(t, fair.Bounds{Capacity: 5}, func(d *desk, ctx context.Context) {
		d.ask(ctx, "a", "a", 2)
		d.ask(ctx, "b", "b", 4)
		d.wantServed("a")
		if d.TryAcquire("c", 4) || d.TryAcquire("c", 2) {
			d.Fatal("a try went before a call that waits")
		}
		d.give("a", 2)
		d.wantServed("b")
		if !d.TryAcquire("c", 1) {
			d.Fatal("a try was refused what is free")
		}
	})
}

func TestMistakesOfTheProgramAreNotHidden(t *testing.T) {
	t.Parallel()
	shared := fair.New(fair.Bounds{Capacity: 2})
	for name, mistake := range map[string]func(){
		"bounds without a place":          func() { fair.New(fair.Bounds{}) },
		"a part that is larger than all":  func() { fair.New(fair.Bounds{Capacity: 1, PerTenant: 2}) },
		"more than there is":              func() { _ = shared.Acquire(context.Background(), "a", 3) },
		"giving back what nobody holds":   func() { shared.Release("a", 1) },
		"giving back what another holds":  func() { shared.TryAcquire("b", 1); shared.Release("a", 1) },
		"a call for nothing, which waits": func() { _ = shared.Acquire(context.Background(), "a", 0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it went unnoticed")
				}
			}()
			mistake()
		})
	}
}

func TestWhoHoldsMostGivesWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		held     map[core.ID]int
		newcomer core.ID
		want     []core.ID
	}{
		"the one that holds most":                {map[core.ID]int{"a": 5, "b": 3}, "c", []core.ID{"a"}},
		"the newcomer, which would hold most":    {map[core.ID]int{"a": 7, "b": 1}, "a", []core.ID{"a"}},
		"the newcomer, which would hold as much": {map[core.ID]int{"a": 4, "b": 3}, "b", []core.ID{"b"}},
		"another one that holds more":            {map[core.ID]int{"a": 5, "b": 3}, "b", []core.ID{"a"}},
		"any, where all have as much":            {map[core.ID]int{"a": 1, "b": 1}, "c", []core.ID{"a", "b"}},
	} {
		got := fair.Victims(c.held, c.newcomer)
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestTheTenantTravelsWithTheContext(t *testing.T) {
	t.Parallel()
	if got := fair.Tenant(t.Context()); got != "" {
		t.Errorf("got %q, want no tenant", got)
	}
	if got := fair.Tenant(fair.WithTenant(fair.WithTenant(t.Context(), "a"), "b")); got != "b" {
		t.Errorf("got %q, want b", got)
	}
}
