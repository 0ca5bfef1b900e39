// Package fair shares scarce resources of a process among tenants, so that no tenant
// keeps the others waiting: places to run commands and builds, memory for uploads,
// streams.
//
// A Semaphore is a weighted semaphore that knows who holds what. Its rules:
//
//   - Room that becomes free goes to the waiting tenant that holds the least, and among
//     equals to the one that has waited longest. A tenant's own calls keep their order.
//   - Some room is kept for tenants that hold nothing or little, so that one that comes
//     new is served although others have taken all they may.
//   - One tenant may be held to a part of the room, however much is free.
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
	// Places is how much all tenants hold together.
	Places int64
	// Kept is additional room for tenants that hold no more than Least with it.
	Kept int64
	// Least is the holding that counts as little; 0 means 1, so that Kept is for tenants
	// that hold nothing yet.
	Least int64
	// Most is how much one tenant may hold, at most Places; 0 means Places.
	Most int64
}

// Semaphore is a weighted semaphore shared by the goroutines of one process. A waiting
// call needs no goroutine besides its own.
type Semaphore struct {
	bounds Bounds

	mu    sync.Mutex
	total int64
	held  map[core.ID]int64
	// waiting has a tenant's calls in their order, for tenants with any.
	waiting map[core.ID]*list.List
	// tickets counts the calls that had to wait.
	tickets uint64
}

// waiter is a waiting call. ready is closed, under the lock, when the call is served.
type waiter struct {
	tenant core.ID
	n      int64
	ticket uint64
	ready  chan struct{}
}

// New returns a semaphore that nobody holds. It panics for bounds that could never serve
// anybody, which are a bug in the program.
func New(bounds Bounds) *Semaphore {
	if bounds.Least == 0 {
		bounds.Least = 1
	}
	if bounds.Most == 0 {
		bounds.Most = bounds.Places
	}
	if bounds.Places < 1 || bounds.Kept < 0 || bounds.Least < 1 || bounds.Most < 1 || bounds.Most > bounds.Places {
		panic(fmt.Sprintf("fair: no semaphore has the bounds %+v", bounds))
	}
	return &Semaphore{bounds: bounds, held: map[core.ID]int64{}, waiting: map[core.ID]*list.List{}}
}

// Acquire waits until the tenant may hold n more. If ctx ends first, it returns ctx's
// error, and the tenant holds no more than before. It panics if n is more than one
// tenant may ever hold, which is a bug in the program.
func (s *Semaphore) Acquire(ctx context.Context, tenant core.ID, n int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if n < 1 || n > s.bounds.Most {
		s.mu.Unlock()
		panic(fmt.Sprintf("fair: nobody can hold %d of %+v", n, s.bounds))
	}
	asked := s.enqueue(tenant, n)
	s.grant()
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
	asked := s.enqueue(tenant, n)
	s.grant()
	if asked.Value.(*waiter).isReady() {
		return true
	}
	s.remove(asked)
	return false
}

// Release releases n of what the tenant holds. It panics if the tenant holds less, which
// is a bug in the program.
func (s *Semaphore) Release(tenant core.ID, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack(tenant, n)
	s.grant()
}

// Full returns the tenants that could not hold one more now. everybody is true if no
// tenant at all could.
func (s *Semaphore) Full() (tenants []core.ID, everybody bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fits(0, 1) {
		return nil, true
	}
	for tenant, held := range s.held {
		if !s.fits(held, 1) {
			tenants = append(tenants, tenant)
		}
	}
	return tenants, false
}

// Held returns how much the tenant holds.
func (s *Semaphore) Held(tenant core.ID) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[tenant]
}

func (s *Semaphore) enqueue(tenant core.ID, n int64) *list.Element {
	queue := s.waiting[tenant]
	if queue == nil {
		queue = list.New()
		s.waiting[tenant] = queue
	}
	s.tickets++
	return queue.PushBack(&waiter{tenant: tenant, n: n, ticket: s.tickets, ready: make(chan struct{})})
}

func (s *Semaphore) remove(asked *list.Element) {
	tenant := asked.Value.(*waiter).tenant
	queue := s.waiting[tenant]
	queue.Remove(asked)
	if queue.Len() == 0 {
		delete(s.waiting, tenant)
	}
}

// withdraw removes a call that no longer waits. What it was given meanwhile goes to
// others, and so may room that it was blocking.
func (s *Semaphore) withdraw(asked *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call := asked.Value.(*waiter)
	if call.isReady() {
		s.giveBack(call.tenant, call.n)
	} else {
		s.remove(asked)
	}
	s.grant()
}

func (w *waiter) isReady() bool {
	select {
	case <-w.ready:
		return true
	default:
		return false
	}
}

func (s *Semaphore) giveBack(tenant core.ID, n int64) {
	held := s.held[tenant] - n
	if n < 0 || held < 0 {
		panic(fmt.Sprintf("fair: a tenant gives back %d and holds %d", n, s.held[tenant]))
	}
	s.total -= n
	if s.held[tenant] = held; held == 0 {
		delete(s.held, tenant)
	}
}

// grant serves the waiting calls that can be served now. The caller holds the lock.
func (s *Semaphore) grant() {
	for {
		next := s.next()
		if next == nil {
			return
		}
		call := next.Value.(*waiter)
		s.remove(next)
		s.total += call.n
		s.held[call.tenant] += call.n
		close(call.ready)
	}
}

// next returns the call to serve next, nil if none can be. A large call that lacks room
// is not overtaken by smaller ones, except those of tenants that hold little. A call
// that only its own tenant's bound blocks does not block others.
func (s *Semaphore) next() *list.Element {
	var small, large, blocked *list.Element
	for tenant, queue := range s.waiting {
		first := queue.Front()
		held, n := s.held[tenant], first.Value.(*waiter).n
		switch {
		case held+n <= s.bounds.Least && s.fits(held, n):
			small = s.sooner(small, first)
		case s.fits(held, n):
			large = s.sooner(large, first)
		case held+n <= s.bounds.Most:
			blocked = s.sooner(blocked, first)
		}
	}
	if large == nil || blocked != nil && s.sooner(blocked, large) == blocked {
		return small
	}
	return s.sooner(small, large)
}

// sooner returns the call whose tenant holds less, or, among equals, that came first.
func (s *Semaphore) sooner(a, b *list.Element) *list.Element {
	if a == nil {
		return b
	}
	one, other := a.Value.(*waiter), b.Value.(*waiter)
	mine, theirs := s.held[one.tenant], s.held[other.tenant]
	if theirs < mine || theirs == mine && other.ticket < one.ticket {
		return b
	}
	return a
}

// fits reports whether a tenant that holds held may have n more.
func (s *Semaphore) fits(held, n int64) bool {
	room := s.bounds.Places
	if held+n <= s.bounds.Least {
		room += s.bounds.Kept
	}
	return held+n <= s.bounds.Most && s.total+n <= room
}
