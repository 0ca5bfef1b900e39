package domains

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// maxVerifies is how often per minute people may have a project's claims checked.
	maxVerifies = 20
	paceWindow  = time.Minute
	// maxPaced is the number of projects beyond which those whose minute is over are
	// forgotten.
	maxPaced = 1000
)

// pace is a rate limit for DNS look-ups that people request from this process. Many
// goroutines may use it.
type pace struct {
	now func() time.Time

	mu       sync.Mutex
	projects map[core.ID]callCount
}

// callCount counts the calls for a project since a time.
type callCount struct {
	since time.Time
	calls int
}

func newPace(now func() time.Time) *pace { return &pace{now: now, projects: map[core.ID]callCount{}} }

// take counts a call, and returns core.CodeRateLimited beyond the limit.
func (p *pace) take(project core.ID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if len(p.projects) >= maxPaced {
		for other, its := range p.projects {
			if now.Sub(its.since) >= paceWindow {
				delete(p.projects, other)
			}
		}
	}
	its := p.projects[project]
	if now.Sub(its.since) >= paceWindow {
		its = callCount{since: now}
	}
	its.calls++
	if its.calls > maxVerifies {
		refused := core.Errorf(core.CodeRateLimited, "the domains of a project can be checked at most %d times a minute: try again in a minute", maxVerifies)
		refused.RetryAfter = its.since.Add(paceWindow).Sub(now)
		return refused
	}
	p.projects[project] = its
	return nil
}
