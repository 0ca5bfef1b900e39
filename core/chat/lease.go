package chat

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Times of a run's lease: how long a process may go without renewing it before its
// runs count as interrupted, and how often it renews.
const (
	lease = 15 * time.Second
	beat  = 5 * time.Second
)

// hold changes the row of a run that this process works on. It returns errTaken if
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

// intend stores the write-ahead note of what a tool call is about to change. It
// first waits until the log has the call itself, so that after a crash no note is
// without its call.
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

// watch renews the run's lease, and ends the run if another process asks for it.
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

// renew extends the lease, looks for a stop request whose notice was lost, and ends
// the run of a person who may no longer use the chat.
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
	s.cancelWithoutAccess(ctx, run)
}
