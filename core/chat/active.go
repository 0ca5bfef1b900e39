package chat

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

// The reasons for which a run is cancelled.
var (
	errClientGone = errors.New("the client closed the connection")
	errStopped    = errors.New("somebody stopped the run")
	errClosing    = errors.New("the process is stopping")
	errTaken      = errors.New("another process continues the run")
	errRunTooLong = errors.New("the run took too long")
)

// MaxRunTime bounds a run, with all of its model calls and commands. A run that takes
// longer ends with core.ReasonLimit, with its work kept. A model on a slow machine
// needs minutes for an answer, and core/agent bounds the steps.
const MaxRunTime = 6 * time.Hour

// activeRuns are the runs on which this process works, each in a goroutine of its own.
type activeRuns struct {
	life *lifetime

	mu      sync.Mutex
	cancels map[core.ID]context.CancelCauseFunc
}

func newActiveRuns(life *lifetime) *activeRuns {
	return &activeRuns{life: life, cancels: map[core.ID]context.CancelCauseFunc{}}
}

// add makes a run active until the function that it returns has called work and returned.
// The context of work ends when the run is cancelled, when it took MaxRunTime, or when the
// service closes.
func (a *activeRuns) add(run core.Run, work func(context.Context)) func() {
	ctx, end := context.WithTimeoutCause(fair.WithTenant(context.Background(), run.WorkspaceID), MaxRunTime, errRunTooLong)
	ctx, cancel := context.WithCancelCause(ctx)
	a.mu.Lock()
	a.cancels[run.ID] = cancel
	a.mu.Unlock()
	stopWithService := context.AfterFunc(a.life.ctx, func() { cancel(errClosing) })
	return func() {
		defer end()
		defer cancel(nil)
		defer stopWithService()
		defer a.remove(run.ID)
		work(ctx)
	}
}

func (a *activeRuns) remove(run core.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.cancels, run)
}

// cancel ends a run for the given reason. It reports whether the run is active.
func (a *activeRuns) cancel(run core.ID, reason error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	cancel, active := a.cancels[run]
	if active {
		cancel(reason)
	}
	return active
}

// has reports whether a run is active.
func (a *activeRuns) has(run core.ID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, active := a.cancels[run]
	return active
}

// count returns how many runs are active.
func (a *activeRuns) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.cancels)
}

// lostRuns are the runs whose end could not be stored. Their followers do not wait for it,
// and the runs stay active in the database until it is stored.
type lostRuns struct {
	mu  sync.Mutex
	ids map[core.ID]bool
}

func newLostRuns() *lostRuns { return &lostRuns{ids: map[core.ID]bool{}} }

func (l *lostRuns) add(run core.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids[run] = true
}

func (l *lostRuns) remove(run core.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.ids, run)
}

func (l *lostRuns) has(run core.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ids[run]
}
