package domains

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// maxVerifies is how many times a minute people may have a project's claims
	// looked at.
	maxVerifies = 20
	paceWindow  = time.Minute
	// maxPaced is from how many projects on those whose minute is over are forgotten.
	maxPaced = 1000
)

// pace bounds what people let this process ask DNS for. Many goroutines may use it.
type pace struct {
	now func() time.Time

	mu       sync.Mutex
	projects map[core.ID]paced
}

// paced counts the calls for a project since a moment.
type paced struct {
	since time.Time
	calls int
}

func newPace(now func() time.Time) *pace { return &pace{now: now, projects: map[core.ID]paced{}} }

// take returns core.CodeRateLimited for one call too many.
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
		its = paced{since: now}
	}
	its.calls++
	if its.calls > maxVerifies {
		refused := core.Errorf(core.CodeRateLimited, "the domains of a project are looked at %d times a minute at most", maxVerifies)
		refused.RetryAfter = its.since.Add(paceWindow).Sub(now)
		return refused
	}
	p.projects[project] = its
	return nil
}
