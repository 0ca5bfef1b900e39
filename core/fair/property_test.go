package fair_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

// model is a semaphore's state as seen from outside.
type model struct {
	t      *testing.T
	bounds fair.Bounds
	shared *fair.Semaphore

	mu    sync.Mutex
	calls []*modelCall
}

type modelCall struct {
	tenant              core.ID
	n                   int64
	cancel              context.CancelFunc
	served, over, given bool
}

func (m *model) ask(ctx context.Context, tenant core.ID, n int64) {
	ctx, cancel := context.WithCancel(ctx)
	call := &modelCall{tenant: tenant, n: n, cancel: cancel}
	m.calls = append(m.calls, call)
	go func() {
		err := m.shared.Acquire(ctx, tenant, n)
		m.mu.Lock()
		defer m.mu.Unlock()
		call.served, call.over = err == nil, true
	}()
}

// held is what a tenant holds; "" means all tenants.
func (m *model) held(tenant core.ID) (sum int64) {
	for _, call := range m.calls {
		if call.served && !call.given && (tenant == "" || call.tenant == tenant) {
			sum += call.n
		}
	}
	return sum
}

// check checks the semaphore's rules while nothing moves.
func (m *model) check() {
	m.t.Helper()
	b, total := m.bounds, m.held("")
	if total > b.Capacity+b.Reserve {
		m.t.Fatalf("%d are held of %+v", total, b)
	}
	first := map[core.ID]bool{}
	for _, call := range m.calls {
		held := m.held(call.tenant)
		if held != m.shared.Held(call.tenant) {
			m.t.Fatalf("the semaphore says that %s holds %d, want %d", call.tenant, m.shared.Held(call.tenant), held)
		}
		if held > b.PerTenant {
			m.t.Fatalf("one tenant holds %d of %+v", held, b)
		}
		if call.over {
			if call.served && first[call.tenant] {
				m.t.Fatalf("a call of %s was served before one that came earlier", call.tenant)
			}
			continue
		}
		if first[call.tenant] {
			continue
		}
		first[call.tenant] = true
		if held+call.n <= min(b.Small, b.PerTenant) && total+call.n <= b.Capacity+b.Reserve {
			m.t.Fatalf("a call for %d waits although its tenant holds %d and all together %d of %+v", call.n, held, total, b)
		}
	}
}

// FuzzSemaphore plays calls of a few tenants against the rules: bounds hold, a tenant's
// calls keep their order, no tenant that fits into the kept places waits, and when
// everything is released nobody waits.
func FuzzSemaphore(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint8(1+seed%5), uint8(seed%3), uint8(1+seed%2))
	}
	f.Fuzz(func(t *testing.T, seed uint64, places, kept, least uint8) {
		random := rand.New(rand.NewPCG(seed, 1))
		bounds := fair.Bounds{Capacity: int64(max(1, places)), Reserve: int64(kept), Small: int64(max(1, least))}
		bounds.PerTenant = 1 + random.Int64N(bounds.Capacity)
		synctest.Test(t, func(t *testing.T) {
			m := &model{t: t, bounds: bounds, shared: fair.New(bounds)}
			for range 60 {
				m.step(random)
				synctest.Wait()
				m.check()
			}
			m.drain()
		})
	})
}

func (m *model) step(random *rand.Rand) {
	if len(m.calls) == 0 || random.IntN(2) == 0 {
		m.ask(m.t.Context(), core.ID([]string{"a", "b", "c", "d"}[random.IntN(4)]), 1+random.Int64N(m.bounds.PerTenant))
		return
	}
	call := m.calls[random.IntN(len(m.calls))]
	switch {
	case call.served && !call.given:
		call.given = true
		m.shared.Release(call.tenant, call.n)
	case !call.over:
		call.cancel()
	}
}

// drain releases everything until all have been served.
func (m *model) drain() {
	m.t.Helper()
	for range len(m.calls) {
		var held []*modelCall
		for _, call := range m.calls {
			if call.served && !call.given {
				call.given = true
				held = append(held, call)
			}
		}
		for _, call := range held {
			m.shared.Release(call.tenant, call.n)
		}
		synctest.Wait()
	}
	for _, call := range m.calls {
		if !call.over {
			m.t.Fatalf("a call of %s for %d waits although nobody holds anything", call.tenant, call.n)
		}
		call.cancel()
	}
	if tenants, everybody := m.shared.Full(); everybody || len(tenants) > 0 {
		m.t.Fatalf("got %v, want nobody to be full", tenants)
	}
}
