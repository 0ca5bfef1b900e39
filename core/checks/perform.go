package checks

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/browsing"
)

const (
	// playLimit bounds the time to play the checks of a project. Those that are left then fail.
	playLimit = 3 * time.Minute
	// atOnce is how many checks of a project are played at once: each has a page of its own.
	atOnce = browsing.MaxPages
)

// performance is one playing of several checks.
type performance struct {
	service *Service
	project core.ID
	stage   *stage
	// tell is called by one goroutine at a time, which holds mu.
	mu   sync.Mutex
	tell func(Result) error
	// results has a place for each check.
	results []Result
	// fail ends the performance with an error.
	fail context.CancelCauseFunc
}

// playAll plays checks on one stage, some at once, and tells each result as it comes.
func (s *Service) playAll(ctx context.Context, project core.ID, found []checkFile, tell func(Result) error) ([]Result, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	limited, cancel := context.WithTimeout(ctx, playLimit)
	defer cancel()
	p := &performance{service: s, project: project, tell: tell, results: make([]Result, len(found)), fail: fail}
	p.stage = s.stage(limited, project)
	defer p.stage.close(ctx)
	left := make(chan int, len(found))
	for i := range found {
		left <- i
	}
	close(left)
	var group sync.WaitGroup
	for range min(atOnce, len(found)) {
		group.Go(func() {
			for i := range left {
				if ctx.Err() == nil {
					p.play(ctx, limited, i, found[i])
				}
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return p.results, nil
}

// play plays a check in limited, and stores and tells its result in ctx.
func (p *performance) play(ctx, limited context.Context, at int, one checkFile) {
	defer func() {
		if problem := recover(); problem != nil {
			p.fail(fmt.Errorf("a check panicked: %v", problem))
		}
	}()
	played, err := p.stage.play(limited, one)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		p.results[at], err = p.service.store(ctx, p.project, played)
	}
	if err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		err = p.tell(p.results[at])
		p.results[at].png = nil
	}
	if err != nil {
		p.fail(err)
	}
}
