package chat

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/worker"
	"github.com/atelierhq/atelier/ports/storage"
)

// queuePoll is how often a process looks for runs that another process queued or
// abandoned.
const queuePoll = 2 * time.Second

// queueBounds is how many queued runs a process works on at once. A run mostly waits
// for a model, so memory is what bounds the number. A workspace whose models answer
// slowly leaves most of the places to others.
func queueBounds() fair.Bounds { return fair.Bounds{Capacity: 32, Reserve: 8, PerTenant: 8} }

// queue is the queue of runs: the rows of runs whose status is core.RunQueued. Its worker
// claims them for this process.
type queue struct {
	*process
	executor *executor
	recovery *recovery
	wake     ctxsync.Signal
	// quotas bound how many runs of a workspace are at work.
	quotas core.Quotas
}

// serve is the worker: it claims runs when it is woken and at every poll, and then also
// takes over the runs of dead processes.
func (q *queue) serve() {
	semaphore := fair.New(queueBounds())
	worker.Loop{
		Claim: func(ctx context.Context) func() { return q.claim(ctx, semaphore) },
		Wake:  q.wake, Poll: queuePoll, AtPoll: q.takeExpired,
	}.Run(q.life.ctx)
}

// takeExpired takes over the runs of dead processes.
func (q *queue) takeExpired(ctx context.Context) {
	if err := q.recovery.takeExpired(ctx); err != nil && ctx.Err() == nil {
		q.limitedLog.Warn(ctx, "could not end interrupted runs", "error", err)
	}
}

// claim claims a queued run of a workspace with free places, and takes a place for it. It
// returns what works on the run; nil if there is none.
func (q *queue) claim(ctx context.Context, semaphore *fair.Semaphore) func() {
	full, everybody := semaphore.Full()
	if everybody {
		return nil
	}
	run, opened, err := q.take(ctx, full)
	for errors.Is(err, errFull) {
		full = append(full, run.WorkspaceID)
		run, opened, err = q.take(ctx, full)
	}
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && ctx.Err() == nil {
			q.limitedLog.Warn(ctx, "could not read the queue", "error", err)
		}
		return nil
	}
	q.events.announce(ctx, run, opened)
	// Only the goroutine of serve takes places, so this one is still free.
	semaphore.TryAcquire(run.WorkspaceID, 1)
	work := q.executor.queuedWork(run)
	return func() {
		defer semaphore.Release(run.WorkspaceID, 1)
		work()
	}
}

// errFull says that a run's workspace has as many runs at work as it may.
var errFull = core.Errorf(core.CodeConflict, "the workspace has as many runs at work as it may")

// take claims the oldest queued run except those of some workspaces, with its first events. It
// returns errFull, with the run, if that has to wait for others of its workspace.
func (q *queue) take(ctx context.Context, except []core.ID) (run core.Run, opened []core.Event, err error) {
	err = q.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		now := core.At(q.now())
		var err error
		opened = nil
		if run, err = tables.Runs.Claim(ctx, q.leases.owner, q.leases.expiry(), except); err != nil {
			return err
		}
		err = checkRuns(ctx, tables, q.quotas, run.WorkspaceID, 1)
		if core.IsCode(err, core.CodeConflict) {
			return errFull
		}
		if err != nil || run.ResumedAt > 0 {
			return err
		}
		opened, err = tables.Events.Append(ctx, run.ChatID, now, []core.Payload{userMessage(run)})
		if err != nil || run.Said.Prompt == "" && run.Said.References == nil {
			return err
		}
		run, err = tables.Runs.Update(ctx, run.ID, func(stored *core.Run) error {
			stored.Said = core.MessageContext{}
			return nil
		})
		return err
	})
	return run, opened, err
}

// checkRuns returns core.CodeConflict if a workspace has as many runs at work as it may, beside some
// that its transaction began. Others who begin one there wait for the transaction.
func checkRuns(ctx context.Context, tables storage.Tables, quotas core.Quotas, workspace core.ID, begun int) error {
	limits, err := access.QuotasIn(ctx, tables, quotas, workspace)
	if core.IsCode(err, core.CodeNotFound) {
		// The project moved, and the workspace was deleted.
		return nil
	}
	if err != nil || limits.Runs == 0 {
		return err
	}
	if _, err := tables.Workspaces.Update(ctx, workspace, func(*core.Workspace) error { return nil }); err != nil {
		return err
	}
	working, err := tables.Runs.CountRunning(ctx, workspace)
	if err != nil {
		return err
	}
	return limits.CheckRuns(working - begun)
}
