package calllog

import (
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// pending are calls that wait to be stored.
type pending struct {
	mu     sync.Mutex
	calls  []core.BackendCall
	meters map[list]*meter
	// omitted counts the calls that were not kept, since leftOut was last called.
	omitted int64
}

// list names the calls that are bounded together.
type list struct {
	project core.ID
	env     core.DataEnv
	kind    core.CallKind
}

// Bounds of what is pending, and of how fast the calls of one list come: burst at once, and then
// perSecond.
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

func newPending() *pending { return &pending{meters: map[list]*meter{}} }

// add takes a call, or counts it. It reports whether it took it.
func (p *pending) add(call core.BackendCall, now time.Time) bool {
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

// meter returns the meter of a list, nil if there is no room for another.
func (p *pending) meter(of list, now time.Time) *meter {
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

// forget removes the meters of lists that have been quiet.
func (p *pending) forget(now time.Time) {
	for of, one := range p.meters {
		if one.fill(now); one.tokens >= burst {
			delete(p.meters, of)
		}
	}
}

// leftOut returns how many calls were not kept since it was last called.
func (p *pending) leftOut() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.omitted
	p.omitted = 0
	return left
}

// first returns the calls that wait longest, which stay.
func (p *pending) first(most int) []core.BackendCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls[:min(most, len(p.calls))])
}

// remove removes the calls that wait longest.
func (p *pending) remove(count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = slices.Clone(p.calls[count:])
}
