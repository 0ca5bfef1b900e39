package chat

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Times of a run's lease: how long a process may be silent before its runs count
// as cut off, and how often it gives word.
const (
	lease = 15 * time.Second
	beat  = 5 * time.Second
)

// hold changes the row of a run that this process works on. It returns errTaken when
// the run is no longer this process's.
func (s *Service) hold(ctx context.Context, run core.Run, change func(*core.Run)) (core.Run, error) {
	return s.store.Tables().Runs.Update(ctx, run.ID, func(r *core.Run) error {
		if !s.works(*r) {
			return errTaken
		}
		change(r)
		return nil
	})
}

// works reports whether this process works on the run.
func (s *Service) works(run core.Run) bool {
	return run.Owner == s.owner && run.Status == core.RunRunning
}

// intend stores what a tool call is about to change, once the call itself stands in
// the log: after a crash both or neither are there.
func (s *Service) intend(ctx context.Context, run core.Run, journal *journal, intent core.Intent) error {
	if err := journal.flush(); err != nil {
		return err
	}
	_, err := s.hold(ctx, run, func(r *core.Run) { r.Intent = &intent })
	if errors.Is(err, errTaken) {
		s.cancel(run.ID, errTaken)
	}
	return err
}

// watch keeps the run's lease, and ends the run when another process asks for
// it.
func (s *Service) watch(ctx context.Context, run core.Run, notices <-chan *core.Notice) {
	if stored, err := s.store.Tables().Runs.ByID(ctx, run.ID); err == nil && stored.StopRequested {
		s.cancel(run.ID, errStopped)
	}
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case notice, open := <-notices:
			if !open {
				notices = nil
				continue
			}
			if notice.Kind == core.NoticeRunStop && notice.RunID == run.ID {
				s.cancel(run.ID, errStopped)
			}
		case <-ticker.C:
			s.renew(ctx, run)
		}
	}
}

// renew extends the lease, looks for a stop request that no notice brought, and
// ends the run of somebody who may not use the chat any more.
func (s *Service) renew(ctx context.Context, run core.Run) {
	renewed, err := s.hold(ctx, run, func(r *core.Run) { r.LeaseUntil = core.At(s.now()).Add(lease) })
	if errors.Is(err, errTaken) {
		s.cancel(run.ID, errTaken)
		return
	}
	if err != nil && ctx.Err() == nil {
		s.quietly.warn(ctx, "lease was not renewed", "run", run.ID, "error", err)
	}
	if renewed.StopRequested {
		s.cancel(run.ID, errStopped)
	}
	s.mayGoOn(ctx, run)
}
