package memory

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
)

// Locks is a keyed lock: it serialises the writers of each project within one process.
// Waiting callers get the lock in order. A project without a holder or waiting callers
// takes no memory.
type Locks struct {
	mu   sync.Mutex
	keys map[core.ID]*projectLock
}

var _ locks.Locker = (*Locks)(nil)

// projectLock is held by the caller that put a token into held. users counts the holder
// and the waiting callers, so that the last of them removes the lock from the map.
type projectLock struct {
	held  chan struct{}
	users int
}

// NewLocks returns locks that nobody holds.
func NewLocks() *Locks { return &Locks{keys: make(map[core.ID]*projectLock)} }

// Lock implements locks.Locker.
func (l *Locks) Lock(ctx context.Context, project core.ID) (held context.Context, unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	lock := l.enter(project)
	select {
	case lock.held <- struct{}{}:
		return ctx, sync.OnceFunc(func() {
			<-lock.held
			l.leave(project, lock)
		}), nil
	case <-ctx.Done():
		l.leave(project, lock)
		return nil, nil, ctx.Err()
	}
}

func (l *Locks) enter(project core.ID) *projectLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock := l.keys[project]
	if lock == nil {
		lock = &projectLock{held: make(chan struct{}, 1)}
		l.keys[project] = lock
	}
	lock.users++
	return lock
}

func (l *Locks) leave(project core.ID, lock *projectLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock.users--
	if lock.users == 0 {
		delete(l.keys, project)
	}
}
