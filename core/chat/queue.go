package chat

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/loglimit"
	"github.com/atelierhq/atelier/ports/storage"
)

// queuePoll is how often a process looks for runs that another process queued or
// abandoned.
const queuePoll = 2 * time.Second

// queueBounds is how many queued runs a process works on at once. A run mostly waits
// for a model, so memory is what bounds the number. A workspace whose models answer
// slowly leaves most of the places to others.
func queueBounds() fair.Bounds { return fair.Bounds{Places: 32, Kept: 8, Most: 8} }

// queue is the queue of runs: the rows of runs whose status is core.RunQueued. Its worker
// claims them for this process.
type queue struct {
	store      storage.Store
	life       *lifetime
	events     *eventLog
	leases     *leases
	executor   *executor
	recovery   *recovery
	wake       wake
	limitedLog *loglimit.Limiter
	now        func() time.Time
}

// serve is the worker: it claims runs when it is woken and at every poll, and then also
// takes over the runs of dead processes.
func (q *queue) serve() {
	places := fair.New(queueBounds())
	ticker := time.NewTicker(queuePoll)
	defer ticker.Stop()
	for {
		q.claimAll(places)
		select {
		case <-q.life.ctx.Done():
			return
		case <-q.wake:
		case <-ticker.C:
			if err := q.recovery.takeExpired(q.life.ctx); err != nil && q.life.ctx.Err() == nil {
				q.limitedLog.Warn(q.life.ctx, "runs that were cut off could not be ended", "error", err)
			}
		}
	}
}

// claimAll begins queued runs as long as there are some of workspaces with free places.
func (q *queue) claimAll(places *fair.Semaphore) {
	for {
		full, everybody := places.Full()
		if everybody || !q.claim(full, places) {
			return
		}
	}
}

// claim begins one queued run of a workspace that is not in full, and takes a place for
// it until it has ended. It reports whether there was one.
func (q *queue) claim(full []core.ID, places *fair.Semaphore) bool {
	var run core.Run
	var opened []core.Event
	err := q.store.InTx(q.life.ctx, func(ctx context.Context, tables storage.Tables) error {
		now := core.At(q.now())
		var err error
		if run, err = tables.Runs.Claim(ctx, q.leases.owner, q.leases.expiry(), full); err != nil || run.ResumedAt > 0 {
			opened = nil
			return err
		}
		opened, err = tables.Events.Append(ctx, run.ChatID, now, []core.Payload{userMessage(run)})
		return err
	})
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && q.life.ctx.Err() == nil {
			q.limitedLog.Warn(q.life.ctx, "queue could not be read", "error", err)
		}
		return false
	}
	q.events.announce(q.life.ctx, run, opened)
	// Only this goroutine takes places, so this one is still free.
	places.TryAcquire(run.WorkspaceID, 1)
	q.executor.startClaimed(run, func() { places.Release(run.WorkspaceID, 1); q.wake.signal() })
	return true
}

// wake is the signal that wakes the worker of the queue.
type wake chan struct{}

// signal wakes the worker, or has it look once more if it is at work.
func (w wake) signal() {
	select {
	case w <- struct{}{}:
	default:
	}
}
