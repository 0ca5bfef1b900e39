package nats

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// silence is how long a process that begins to keep edits waits for others, who have lost their
// lease by then.
const silence = 300 * time.Millisecond

// leases knows the projects whose keepers did not answer when they were last asked. A
// process that is stopped stays subscribed, and the server cannot tell it from one that
// is slow; its lease tells.
type leases struct {
	isHeld func(ctx context.Context, project core.ID) (bool, error)

	mu sync.Mutex
	// silent has the projects; true says that they are being asked just now.
	silent map[core.ID]bool
}

func (l *leases) isSilent(project core.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, silent := l.silent[project]
	return silent
}

// note notes whether the keepers of a project were silent.
func (l *leases) note(project core.ID, silent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !silent {
		delete(l.silent, project)
	} else if l.isHeld != nil {
		l.silent[project] = l.silent[project]
	}
}

// begin reports whether the caller is to ask the keepers of a silent project: one at a
// time does.
func (l *leases) begin(project core.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	asking, silent := l.silent[project]
	if !silent || asking {
		return false
	}
	l.silent[project] = true
	return true
}

// end notes what asking came to.
func (l *leases) end(project core.ID, answered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, silent := l.silent[project]; answered {
		delete(l.silent, project)
	} else if silent {
		l.silent[project] = false
	}
}

// isLost reports whether nobody holds the lease on the project's edits. Where that cannot
// be found out, somebody may.
func (l *leases) isLost(ctx context.Context, project core.ID) bool {
	if l.isHeld == nil {
		return false
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	held, err := l.isHeld(bounded, project)
	return err == nil && !held
}

// isSilence reports whether a call came to nothing because nobody answered in time.
func isSilence(bounded context.Context, err error) bool {
	return errors.Is(err, context.DeadlineExceeded) && errors.Is(bounded.Err(), context.DeadlineExceeded)
}

// meanwhile calls others, for a process that begins to keep edits. It reports that they are gone
// when they are silent and leases tell who keeps edits.
func (l *leases) meanwhile(ctx context.Context, call func(context.Context) error) (gone bool, err error) {
	if l.isHeld == nil {
		return false, call(ctx)
	}
	bounded, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	err = call(bounded)
	if isSilence(bounded, err) && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}
