package fair

import (
	"container/list"
	"context"
	"fmt"
	"sync"

	"github.com/atelierhq/atelier/core"
)

// Bounds say how much of a resource there is and how it is shared, in units of the
// resource.
type Bounds struct {
	// Capacity is how much all tenants hold together.
	Capacity int64
	// Reserve is additional room for tenants that hold no more than Small with it.
	Reserve int64
	// Small is the holding that counts as little; 0 means 1, so that Reserve is for tenants
	// that hold nothing yet.
	Small int64
	// PerTenant is how much one tenant may hold, at most Capacity; 0 means Capacity.
	PerTenant int64
}

// Semaphore is a weighted semaphore shared by the goroutines of one process. A waiting
// call needs no goroutine besides its own.
type Semaphore struct {
	bounds Bounds

	mu     sync.Mutex
	ledger ledger
}

// New returns a semaphore that nobody holds. It panics for bounds that could never serve
// anybody, which are a bug in the program.
func New(bounds Bounds) *Semaphore {
	if bounds.Small == 0 {
		bounds.Small = 1
	}
	if bounds.PerTenant == 0 {
		bounds.PerTenant = bounds.Capacity
	}
	if bounds.Capacity < 1 || bounds.Reserve < 0 || bounds.Small < 1 || bounds.PerTenant < 1 || bounds.PerTenant > bounds.Capacity {
		panic(fmt.Sprintf("fair: no semaphore has the bounds %+v", bounds))
	}
	return &Semaphore{bounds: bounds, ledger: newLedger(bounds)}
}

// Acquire waits until the tenant may hold n more. If ctx ends first, it returns ctx's
// error, and the tenant holds no more than before. It panics if n is more than one
// tenant may ever hold, which is a bug in the program.
func (s *Semaphore) Acquire(ctx context.Context, tenant core.ID, n int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if n < 1 || n > s.bounds.PerTenant {
		s.mu.Unlock()
		panic(fmt.Sprintf("fair: nobody can hold %d of %+v", n, s.bounds))
	}
	asked := s.ledger.enqueue(tenant, n)
	s.ledger.grant()
	s.mu.Unlock()
	select {
	case <-asked.Value.(*waiter).ready:
		return nil
	default:
	}
	select {
	case <-asked.Value.(*waiter).ready:
		return nil
	case <-ctx.Done():
		s.withdraw(asked)
		return ctx.Err()
	}
}

// TryAcquire takes n for the tenant if that needs no waiting and overtakes no waiting
// call that could be served, and reports whether it did.
func (s *Semaphore) TryAcquire(tenant core.ID, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.ledger.enqueue(tenant, n)
	s.ledger.grant()
	if asked.Value.(*waiter).isReady() {
		return true
	}
	s.ledger.remove(asked)
	return false
}

// Release releases n of what the tenant holds. It panics if the tenant holds less, which
// is a bug in the program.
func (s *Semaphore) Release(tenant core.ID, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.giveBack(tenant, n)
	s.ledger.grant()
}

// Full returns the tenants that could not hold one more now. everybody is true if no
// tenant at all could.
func (s *Semaphore) Full() (tenants []core.ID, everybody bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ledger.fits(0, 1) {
		return nil, true
	}
	for tenant, held := range s.ledger.held {
		if !s.ledger.fits(held, 1) {
			tenants = append(tenants, tenant)
		}
	}
	return tenants, false
}

// Held returns how much the tenant holds.
func (s *Semaphore) Held(tenant core.ID) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.held[tenant]
}

// withdraw removes a call that no longer waits. What it was given meanwhile goes to
// others, and so may room that it was blocking.
func (s *Semaphore) withdraw(asked *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call := asked.Value.(*waiter)
	if call.isReady() {
		s.ledger.giveBack(call.tenant, call.n)
	} else {
		s.ledger.remove(asked)
	}
	s.ledger.grant()
}
