package publish

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
)

// turns is a keyed lock (mutex per key): it lets one caller at a time work on a
// project. It covers this process only; between processes the update of the
// project's record decides.
type turns struct {
	mu    sync.Mutex
	queue map[core.ID]*turn
}

// turn is the lock of one project. The caller that put a token into held holds it.
// users counts the holder and the waiters; the last one removes it.
type turn struct {
	held  chan struct{}
	users int
}

func newTurns() *turns { return &turns{queue: map[core.ID]*turn{}} }

// take waits for the lock, or until ctx ends, and returns a function that releases
// it.
func (t *turns) take(ctx context.Context, project core.ID) (done func(), err error) {
	t.mu.Lock()
	mine := t.queue[project]
	if mine == nil {
		mine = &turn{held: make(chan struct{}, 1)}
		t.queue[project] = mine
	}
	mine.users++
	t.mu.Unlock()
	select {
	case mine.held <- struct{}{}:
		return func() { <-mine.held; t.leave(project, mine) }, nil
	case <-ctx.Done():
		t.leave(project, mine)
		return nil, core.Wrap(core.CodeUnavailable, ctx.Err(), "the project was busy with another publish")
	}
}

func (t *turns) leave(project core.ID, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine.users--
	if mine.users == 0 {
		delete(t.queue, project)
	}
}
