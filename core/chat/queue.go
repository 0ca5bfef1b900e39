package chat

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/storage"
)

// queuePoll is how often a process looks for runs that another process queued or
// abandoned.
const queuePoll = 2 * time.Second

// queuedAtOnce is how many queued runs a process works on at once. A run mostly waits
// for a model, so memory is what bounds the number. A workspace whose models answer
// slowly leaves most of the places to others.
func queuedAtOnce() fair.Bounds { return fair.Bounds{Places: 32, Kept: 8, Most: 8} }

// Start recovers the runs that a crash interrupted, and starts the worker that takes
// queued runs.
func (s *Service) Start(ctx context.Context) error {
	if err := s.recovery.start(ctx); err != nil {
		return err
	}
	s.life.tasks.Go(s.serveQueue)
	return nil
}

// Close cancels all runs. It waits until each is committed and has its last event, or is
// left for another process to resume, and until every follower has sent that and ended.
// It returns early if ctx ends.
func (s *Service) Close(ctx context.Context) error {
	s.life.end()
	done := make(chan struct{})
	go func() {
		s.life.tasks.Wait()
		// The caller ends the requests next, and followers still need them.
		s.Followers.end()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Queued wakes the worker because a run is queued, so that it does not wait for the next
// poll.
func (s *Service) Queued() { s.wake.signal() }

// wake is the signal that wakes the worker of the queue.
type wake chan struct{}

// signal wakes the worker, or has it look once more if it is at work.
func (w wake) signal() {
	select {
	case w <- struct{}{}:
	default:
	}
}

func (s *Service) serveQueue() {
	places := fair.New(queuedAtOnce())
	ticker := time.NewTicker(queuePoll)
	defer ticker.Stop()
	for {
		s.claimAll(places)
		select {
		case <-s.life.ctx.Done():
			return
		case <-s.wake:
		case <-ticker.C:
			if err := s.recovery.takeExpired(s.life.ctx); err != nil && s.life.ctx.Err() == nil {
				s.quietly.warn(s.life.ctx, "runs that were cut off could not be ended", "error", err)
			}
		}
	}
}

// claimAll begins queued runs as long as there are some of workspaces with free places.
func (s *Service) claimAll(places *fair.Semaphore) {
	for {
		full, everybody := places.Full()
		if everybody || !s.claim(full, places) {
			return
		}
	}
}

// claim begins one queued run of a workspace that is not in full, and takes a place for
// it until it has ended. It reports whether there was one.
func (s *Service) claim(full []core.ID, places *fair.Semaphore) bool {
	var run core.Run
	var opened []core.Event
	err := s.store.InTx(s.life.ctx, func(ctx context.Context, tables storage.Tables) error {
		now := core.At(s.now())
		var err error
		if run, err = tables.Runs.Claim(ctx, s.leases.owner, s.leases.expiry(), full); err != nil || run.ResumedAt > 0 {
			opened = nil
			return err
		}
		opened, err = tables.Events.Append(ctx, run.ChatID, now, []core.Payload{userMessage(run)})
		return err
	})
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && s.life.ctx.Err() == nil {
			s.quietly.warn(s.life.ctx, "queue could not be read", "error", err)
		}
		return false
	}
	s.events.announce(s.life.ctx, run, opened)
	// Only this goroutine takes places, so this one is still free.
	places.TryAcquire(run.WorkspaceID, 1)
	s.active.start(run, func(ctx context.Context) { s.workClaimed(ctx, run) }, func() { places.Release(run.WorkspaceID, 1); s.Queued() })
	return true
}

// Active returns how many runs this process works on.
func (s *Service) Active() int { return s.active.count() }
