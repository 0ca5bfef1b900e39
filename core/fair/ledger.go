package fair

import (
	"container/list"
	"fmt"

	"github.com/atelierhq/atelier/core"
)

// ledger is who holds what of a Semaphore, and who waits. The Semaphore's lock guards all of
// it.
type ledger struct {
	bounds Bounds
	total  int64
	held   map[core.ID]int64
	// waiting has a tenant's calls in their order, for tenants with any.
	waiting map[core.ID]*list.List
	// tickets counts the calls that had to wait.
	tickets uint64
}

func newLedger(bounds Bounds) ledger {
	return ledger{bounds: bounds, held: map[core.ID]int64{}, waiting: map[core.ID]*list.List{}}
}

// waiter is a waiting call. ready is closed, under the lock, when the call is served.
type waiter struct {
	tenant core.ID
	n      int64
	ticket uint64
	ready  chan struct{}
}

func (w *waiter) isReady() bool {
	select {
	case <-w.ready:
		return true
	default:
		return false
	}
}

func (l *ledger) enqueue(tenant core.ID, n int64) *list.Element {
	queue := l.waiting[tenant]
	if queue == nil {
		queue = list.New()
		l.waiting[tenant] = queue
	}
	l.tickets++
	return queue.PushBack(&waiter{tenant: tenant, n: n, ticket: l.tickets, ready: make(chan struct{})})
}

func (l *ledger) remove(asked *list.Element) {
	tenant := asked.Value.(*waiter).tenant
	queue := l.waiting[tenant]
	queue.Remove(asked)
	if queue.Len() == 0 {
		delete(l.waiting, tenant)
	}
}

func (l *ledger) giveBack(tenant core.ID, n int64) {
	held := l.held[tenant] - n
	if n < 0 || held < 0 {
		panic(fmt.Sprintf("fair: a tenant gives back %d and holds %d", n, l.held[tenant]))
	}
	l.total -= n
	if l.held[tenant] = held; held == 0 {
		delete(l.held, tenant)
	}
}

// grant serves the waiting calls that can be served now.
func (l *ledger) grant() {
	for {
		next := l.next()
		if next == nil {
			return
		}
		call := next.Value.(*waiter)
		l.remove(next)
		l.total += call.n
		l.held[call.tenant] += call.n
		close(call.ready)
	}
}

// next returns the call to serve next, nil if none can be. A large call that lacks room
// is not overtaken by smaller ones, except those of tenants that hold little. A call
// that only its own tenant's bound blocks does not block others.
func (l *ledger) next() *list.Element {
	var small, large, blocked *list.Element
	for tenant, queue := range l.waiting {
		first := queue.Front()
		held, n := l.held[tenant], first.Value.(*waiter).n
		switch {
		case held+n <= l.bounds.Small && l.fits(held, n):
			small = l.sooner(small, first)
		case l.fits(held, n):
			large = l.sooner(large, first)
		case held+n <= l.bounds.PerTenant:
			blocked = l.sooner(blocked, first)
		}
	}
	if large == nil || blocked != nil && l.sooner(blocked, large) == blocked {
		return small
	}
	return l.sooner(small, large)
}

// sooner returns the call whose tenant holds less, or, among equals, that came first.
func (l *ledger) sooner(a, b *list.Element) *list.Element {
	if a == nil {
		return b
	}
	one, other := a.Value.(*waiter), b.Value.(*waiter)
	mine, theirs := l.held[one.tenant], l.held[other.tenant]
	if theirs < mine || theirs == mine && other.ticket < one.ticket {
		return b
	}
	return a
}

// fits reports whether a tenant that holds held may have n more.
func (l *ledger) fits(held, n int64) bool {
	room := l.bounds.Capacity
	if held+n <= l.bounds.Small {
		room += l.bounds.Reserve
	}
	return held+n <= l.bounds.PerTenant && l.total+n <= room
}
