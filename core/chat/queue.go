package chat

import (
	"context"
	"math"
	"slices"
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
	if err := s.recover(ctx); err != nil {
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
func (s *Service) Queued() {
	select {
	case s.wake <- struct{}{}:
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
			if err := s.recoverLapsed(s.life.ctx); err != nil && s.life.ctx.Err() == nil {
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

// recover takes over the runs that a crash interrupted. An exclusive process knows at
// its start that nobody works on the active runs that it finds.
func (s *Service) recover(ctx context.Context) error {
	if s.exclusive {
		return s.takeOver(ctx, core.Time(math.MaxInt64))
	}
	return s.recoverLapsed(ctx)
}

// recoverLapsed takes over the runs whose lease has expired.
func (s *Service) recoverLapsed(ctx context.Context) error {
	return s.takeOver(ctx, core.At(s.now()))
}

// takeOver takes over the runs whose lease expired before the given time: detached ones
// are queued to resume, the others end, with their work kept.
func (s *Service) takeOver(ctx context.Context, before core.Time) error {
	runs, err := s.store.Tables().Runs.Lapsed(ctx, before)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if s.active.has(run.ID) {
			continue
		}
		// A run that no longer exists was deleted with its project.
		err := s.inherit(ctx, run)
		if err != nil && !core.IsCode(err, core.CodeConflict) && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
		s.lost.remove(run.ID)
	}
	return nil
}

// inherit takes over a run whose lease has expired. It returns core.CodeConflict if its
// process renewed the lease since the run was listed, or if another process was faster.
func (s *Service) inherit(ctx context.Context, run core.Run) error {
	taken, err := s.leases.takeOver(ctx, run)
	if err != nil {
		return err
	}
	s.catchUp(ctx, taken)
	return s.goOnOrEnd(ctx, taken)
}

// catchUpTime bounds the search for what a command left behind: other runs wait for it.
const catchUpTime = 10 * time.Second

// catchUp reports what an interrupted command changed. Commands write without the
// project's lock, and after the crash nobody reported their changes.
func (s *Service) catchUp(ctx context.Context, run core.Run) {
	ctx, cancel := context.WithTimeout(ctx, catchUpTime)
	defer cancel()
	if err := s.desks.CatchUp(ctx, run.ProjectID); err != nil && ctx.Err() == nil {
		s.quietly.warn(ctx, "what a run that was cut off left is not known", "run", run.ID, "error", err)
	}
}

func (s *Service) goOnOrEnd(ctx context.Context, run core.Run) error {
	switch {
	case run.StopRequested:
		return s.completion.finish(ctx, run, core.TaskComplete{Reason: core.ReasonStopped})
	case run.Resumable():
		return s.requeue(ctx, run)
	}
	return s.completion.finish(ctx, run, cutOff)
}

// cutOff is the last event of a run that is not resumed.
var cutOff = core.SessionError{Error: core.CodeInterrupted, Message: "The run was cut off. What was done until then is kept: write again to let me go on."}

// maxResumes is how often a run is resumed without having made progress: the run itself
// may be what kills the process.
const maxResumes = 3

// requeue queues a run to resume where its log ends, unless its last maxResumes
// resumptions made no progress. It returns core.CodeConflict if another process was
// faster.
func (s *Service) requeue(ctx context.Context, run core.Run) error {
	events, err := s.store.Tables().Events.Read(ctx, run.ChatID, storage.EventRange{Limit: historyLimit, Newest: true})
	if err != nil {
		return err
	}
	events = slices.DeleteFunc(events, func(e core.Event) bool { return e.Seq <= run.ResumedAt })
	resumes := run.Resumes + 1
	if gotFurther(events) {
		resumes = 0
	}
	if resumes > maxResumes {
		return s.completion.finish(ctx, run, cutOff)
	}
	_, err = s.store.Tables().Runs.Update(ctx, run.ID, func(r *core.Run) error {
		if r.Status != core.RunRunning || r.Owner != run.Owner {
			return core.Errorf(core.CodeConflict, "the run is %s, and another's", r.Status)
		}
		r.Resumes = resumes
		if n := len(events); n > 0 {
			r.ResumedAt = events[n-1].Seq
		}
		r.Status, r.CreditHeld = core.RunQueued, 0
		return nil
	})
	if err == nil {
		s.Queued()
	}
	return err
}

// gotFurther reports whether a model call was completed.
func gotFurther(events []core.Event) bool {
	return slices.ContainsFunc(events, func(e core.Event) bool {
		info, is := e.Payload.(core.UsageInfo)
		return is && info.Retry == nil
	})
}

// Active returns how many runs this process works on.
func (s *Service) Active() int { return s.active.count() }
