package memory

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/locks"
)

// Locks serialises the writers of each project within one process. Waiting callers get
// the lock in order. A project without a holder or waiting callers takes no memory.
type Locks struct{ projects ctxsync.KeyedMutex[core.ID] }

var _ locks.Locker = (*Locks)(nil)

// NewLocks returns locks that nobody holds.
func NewLocks() *Locks { return &Locks{} }

// Lock implements locks.Locker.
func (l *Locks) Lock(ctx context.Context, project core.ID) (held context.Context, unlock func(), err error) {
	unlock, err = l.projects.Lock(ctx, project)
	if err != nil {
		return nil, nil, err
	}
	return ctx, unlock, nil
}
