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

// queuePoll is how often a process looks for runs that another one queued or left
// behind.
const queuePoll = 2 * time.Second

// queuedAtOnce is how many queued runs a process works on at once. A run mostly waits
// for a model, so what bounds them is memory; a workspace whose models answer slowly
// leaves most of the places to others.
func queuedAtOnce() fair.Bounds { return fair.Bounds{Places: 32, Kept: 8, Most: 8} }

// Start sees to what a crash cut off, and begins to work on queued runs.
func (s *Service) Start(ctx context.Context) error {
	if err := s.recover(ctx); err != nil {
		return err
	}
	s.tasks.Go(s.serveQueue)
	return nil
}

// Close cancels all runs, and waits until each is committed and has its last event, or
// is left to whoever resumes it, and until every follower has sent that and ended; or
// until ctx ends.
func (s *Service) Close(ctx context.Context) error {
	s.close()
	done := make(chan struct{})
	go func() {
		s.tasks.Wait()
		s.once.Do(s.endFollowing)
		// Who closes the service ends the requests next, which followers still need.
		s.following.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Queued tells the service that a run waits, so that it need not wait for the
// next poll.
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
		case <-s.life.Done():
			return
		case <-s.wake:
		case <-ticker.C:
			if err := s.recoverLapsed(s.life); err != nil && s.life.Err() == nil {
				s.quietly.warn(s.life, "runs that were cut off could not be ended", "error", err)
			}
		}
	}
}

// claimAll begins queued runs as long as there are any of workspaces for which places
// are free.
func (s *Service) claimAll(places *fair.Semaphore) {
	for {
		full, everybody := places.Full()
		if everybody || !s.claim(full, places) {
			return
		}
	}
}

// claim begins one queued run of another workspace than those whose places are taken,
// and takes a place for it until it has ended. It reports whether there was one.
func (s *Service) claim(full []core.ID, places *fair.Semaphore) bool {
	var run core.Run
	var opened []core.Event
	err := s.store.InTx(s.life, func(ctx context.Context, tables storage.Tables) error {
		now := core.At(s.now())
		var err error
		if run, err = tables.Runs.Claim(ctx, s.owner, now.Add(lease), full); err != nil || run.ResumedAt > 0 {
			opened = nil
			return err
		}
		opened, err = tables.Events.Append(ctx, run.ChatID, now, []core.Payload{userMessage(run)})
		return err
	})
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && s.life.Err() == nil {
			s.quietly.warn(s.life, "queue could not be read", "error", err)
		}
		return false
	}
	s.announce(s.life, run, opened)
	// Only this goroutine takes places, so the one that was free still is.
	places.TryAcquire(run.WorkspaceID, 1)
	s.launch(run, func() { places.Release(run.WorkspaceID, 1); s.Queued() })
	return true
}

// recover sees to the runs that a crash cut off. Alone on its database, a process
// knows at the start that nobody works on what it finds under way.
func (s *Service) recover(ctx context.Context) error {
	if s.exclusive {
		return s.takeOver(ctx, core.Time(math.MaxInt64))
	}
	return s.recoverLapsed(ctx)
}

// recoverLapsed sees to the runs whose process has been silent for longer than its
// lease.
func (s *Service) recoverLapsed(ctx context.Context) error {
	return s.takeOver(ctx, core.At(s.now()))
}

// takeOver sees to the runs whose lease ended before the given time: those that need
// no client are queued to go on, the others end, with their work kept.
func (s *Service) takeOver(ctx context.Context, before core.Time) error {
	runs, err := s.store.Tables().Runs.Lapsed(ctx, before)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if s.mine(run) {
			continue
		}
		// A run that is gone went with its project.
		err := s.inherit(ctx, run)
		if err != nil && !core.IsCode(err, core.CodeConflict) && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
		s.found(run.ID)
	}
	return nil
}

// inherit sees to a run whose lease has ended, in the place of its process. It returns
// core.CodeConflict when that has come back since the run was listed, and when another
// process was quicker.
func (s *Service) inherit(ctx context.Context, run core.Run) error {
	taken, err := s.store.Tables().Runs.Update(ctx, run.ID, func(r *core.Run) error {
		if r.Status != run.Status || r.Owner != run.Owner || r.LeaseUntil != run.LeaseUntil {
			return core.Errorf(core.CodeConflict, "the run is %s, and its process is there", r.Status)
		}
		r.Owner, r.LeaseUntil = s.owner, core.At(s.now()).Add(lease)
		return nil
	})
	if err != nil {
		return err
	}
	s.catchUp(ctx, taken)
	return s.goOnOrEnd(ctx, taken)
}

// catchUpTime bounds finding out what a command left behind: other runs wait for it.
const catchUpTime = 10 * time.Second

// catchUp lets everybody know what a command changed that was under way when the run was
// cut off: commands write without the project's lock, and nobody was left to tell of it.
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
		return s.finish(ctx, run, core.TaskComplete{Reason: core.ReasonStopped})
	case run.Resumable():
		return s.requeue(ctx, run)
	}
	return s.finish(ctx, run, cutOff)
}

// cutOff ends a run that nobody goes on with.
var cutOff = core.SessionError{Error: core.CodeInterrupted, Message: "The run was cut off. What was done until then is kept: write again to let me go on."}

// maxResumes is how often a run goes on without having got any further since the
// last time: it may be what kills the process.
const maxResumes = 3

// requeue lets a run go on from where its log ends, unless it got no further the last
// times. It returns core.CodeConflict when another process was quicker.
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
		return s.finish(ctx, run, cutOff)
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

// gotFurther reports whether a model call came to its end.
func gotFurther(events []core.Event) bool {
	return slices.ContainsFunc(events, func(e core.Event) bool {
		info, is := e.Payload.(core.UsageInfo)
		return is && info.Retry == nil
	})
}

// Active returns how many runs this process works on.
func (s *Service) Active() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.active)
}

// mine reports whether this process works on the run.
func (s *Service) mine(run core.Run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, found := s.active[run.ID]
	return found
}
