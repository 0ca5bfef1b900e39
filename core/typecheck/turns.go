package typecheck

import (
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// turns is a keyed lock (mutex per key): it lets one check of a project run at a
// time.
type turns struct {
	mu    sync.Mutex
	taken map[core.ID]*turn
}

type turn struct {
	free chan struct{}
	here int
}

// maxAtOnce bounds the checks of one project: the running one plus the waiting
// ones.
const maxAtOnce = 5

// retryTime is when a refused check should be tried again.
const retryTime = 5 * time.Second

// take waits for the project's lock and returns a function that releases it. It
// returns core.CodeRateLimited if too many already wait.
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
