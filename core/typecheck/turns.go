package typecheck

import (
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// turns lets one check of a project run at a time.
type turns struct {
	mu    sync.Mutex
	taken map[core.ID]*turn
}

type turn struct {
	free chan struct{}
	here int
}

// maxAtOnce bounds the checks of one project: one that runs, and those that wait.
const maxAtOnce = 5

// retryTime is when a check that may not wait should be tried again.
const retryTime = 5 * time.Second

// take waits for the project's turn and returns what gives it back. When too many
// wait already, the error has code core.CodeRateLimited.
func (t *turns) take(ctx context.Context, project core.ID) (done func(), err error) {
	t.mu.Lock()
	mine := t.taken[project]
	if mine == nil {
		mine = &turn{free: make(chan struct{}, 1)}
		t.taken[project] = mine
	}
	if mine.here == maxAtOnce {
		t.mu.Unlock()
		return nil, &core.Error{
			Code: core.CodeRateLimited, RetryAfter: retryTime,
			Message: "the types of this project are being checked, and others wait for that already",
		}
	}
	mine.here++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if mine.here--; mine.here == 0 {
			delete(t.taken, project)
		}
	}
	select {
	case mine.free <- struct{}{}:
		return func() { <-mine.free; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
