package chat

import (
	"context"
	"math"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Bounds of the queue: how many queued runs a process works on at once, and how
// often it looks for runs that another process queued or left behind.
const (
	maxQueuedAtOnce = 8
	queuePoll       = 2 * time.Second
)

// Start ends what a crash cut off, and begins to work on queued runs.
func (s *Service) Start(ctx context.Context) error {
	if err := s.recover(ctx); err != nil {
		return err
	}
	s.tasks.Go(s.serveQueue)
	return nil
}

// Close cancels all runs, waits until each is committed and has its last event,
// or until ctx ends.
func (s *Service) Close(ctx context.Context) error {
	s.close()
	done := make(chan struct{})
	go func() {
		s.tasks.Wait()
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
	places := make(chan struct{}, maxQueuedAtOnce)
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
				s.log.Warn("runs that were cut off could not be ended", "error", err)
			}
		}
	}
}

// claimAll begins queued runs as long as there are any and places are free.
func (s *Service) claimAll(places chan struct{}) {
	for {
		select {
		case places <- struct{}{}:
		default:
			return
		}
		if !s.claim(func() { <-places; s.Queued() }) {
			<-places
			return
		}
	}
}

// claim begins one queued run; done is called when it has ended. It reports
// whether there was one.
func (s *Service) claim(done func()) bool {
	var run core.Run
	var opened []core.Event
	err := s.store.InTx(s.life, func(ctx context.Context, tables storage.Tables) error {
		now := core.At(s.now())
		var err error
		if run, err = tables.Runs.Claim(ctx, s.owner, now.Add(lease)); err != nil {
			return err
		}
		opened, err = tables.Events.Append(ctx, run.ChatID, now, []core.Payload{userMessage(run)})
		return err
	})
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && s.life.Err() == nil {
			s.log.Warn("queue could not be read", "error", err)
		}
		return false
	}
	s.announce(s.life, run, opened)
	s.launch(run, done)
	return true
}

// recover ends the runs that a crash cut off. Alone on its database, a process
// knows at the start that nobody works on what it finds under way.
func (s *Service) recover(ctx context.Context) error {
	if s.exclusive {
		return s.interrupt(ctx, core.Time(math.MaxInt64))
	}
	return s.recoverLapsed(ctx)
}

// recoverLapsed ends the runs whose process has been silent for longer than its
// lease.
func (s *Service) recoverLapsed(ctx context.Context) error {
	return s.interrupt(ctx, core.At(s.now()))
}

// interrupt ends the runs whose lease ended before the given time. Their work is
// kept.
func (s *Service) interrupt(ctx context.Context, before core.Time) error {
	runs, err := s.store.Tables().Runs.Lapsed(ctx, before)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if s.mine(run) {
			continue
		}
		last := core.SessionError{Error: core.CodeInterrupted, Message: "The run was cut off. What was done until then is kept."}
		if err := s.finish(ctx, run, last); err != nil && !core.IsCode(err, core.CodeConflict) {
			return err
		}
	}
	return nil
}

// mine reports whether this process works on the run.
func (s *Service) mine(run core.Run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, found := s.active[run.ID]
	return found
}
