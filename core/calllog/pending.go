package calllog

import (
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// buffer has the calls that wait to be stored.
type buffer struct {
	mu     sync.Mutex
	calls  []core.BackendCall
	meters map[list]*meter
	// omitted counts the calls that were dropped since the last call of leftOut.
	omitted int64
}

// list identifies the calls that share a rate limit.
type list struct {
	project core.ID
	env     core.DataEnv
	kind    core.CallKind
}

// Bounds of the pending calls, and of the rate of each list: burst calls at once, then perSecond.
const (
	maxPending = 1000
	maxMeters  = 10_000
	burst      = 200
	perSecond  = 10
)

// meter is the token bucket of a list.
type meter struct {
	tokens float64
	last   time.Time
	// omitted counts the calls since the last one that was kept.
	omitted int64
}

func (m *meter) fill(now time.Time) {
	if passed := now.Sub(m.last); passed > 0 {
		m.tokens = min(burst, m.tokens+passed.Seconds()*perSecond)
		m.last = now
	}
}

func newPending() *buffer { return &buffer{meters: map[list]*meter{}} }

// add keeps a call or counts it. It reports whether it kept it.
func (p *buffer) add(call core.BackendCall, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.meter(list{call.ProjectID, call.Env, call.Kind}, now)
	if of == nil {
		p.omitted++
		return false
	}
	if of.tokens < 1 || len(p.calls) >= maxPending {
		of.omitted++
		p.omitted++
		return false
	}
	of.tokens--
	call.Omitted, of.omitted = of.omitted, 0
	p.calls = append(p.calls, call)
	return true
}

// meter returns the meter of a list, or nil if there are too many.
func (p *buffer) meter(of list, now time.Time) *meter {
	found := p.meters[of]
	if found == nil {
		if len(p.meters) >= maxMeters {
			p.forget(now)
		}
		if len(p.meters) >= maxMeters {
			return nil
		}
		found = &meter{tokens: burst, last: now}
		p.meters[of] = found
	}
	found.fill(now)
	return found
}

// forget removes the meters of idle lists.
func (p *buffer) forget(now time.Time) {
	for of, one := range p.meters {
		if one.fill(now); one.tokens >= burst {
			delete(p.meters, of)
		}
	}
}

// leftOut returns how many calls were dropped since it was last called.
func (p *buffer) leftOut() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.omitted
	p.omitted = 0
	return left
}

// first returns the oldest calls without removing them.
func (p *buffer) first(most int) []core.BackendCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls[:min(most, len(p.calls))])
}

// remove removes the oldest calls.
func (p *buffer) remove(count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = slices.Clone(p.calls[count:])
}
