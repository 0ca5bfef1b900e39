package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// workClaimed is work for a run that waited for a process: the person who started it may
// have lost their access since.
func (s *Service) workClaimed(ctx context.Context, run core.Run) {
	s.cancelWithoutAccess(ctx, run)
	s.work(ctx, run)
}

// work carries out a run from its first model call to its last event.
func (s *Service) work(ctx context.Context, run core.Run) {
	watch, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	// Following begins before the work, so that no request to stop is missed.
	notices, err := s.bus.Follow(watch, run.ProjectID)
	if err != nil {
		s.log.WarnContext(ctx, "stop requests are only polled", "run", run.ID, "error", err)
	}
	go s.watch(watch, run, notices)
	// Events and the commit are stored even if the run was cancelled.
	durable := context.WithoutCancel(ctx)
	journal := newJournal(func(batch []core.Payload) error { return s.appendEvents(durable, run, batch) })
	outcome, err := s.converse(ctx, run, journal)
	if flushed := journal.flush(); err == nil {
		err = flushed
	}
	if err := s.conclude(ctx, run, outcome, err); err != nil {
		s.log.ErrorContext(ctx, "run could not be ended", "run", run.ID, "error", err)
		s.lost.add(run.ID)
	}
}

// conclude ends a run that this process worked on, or leaves it for another process
// to resume. It stores the end even if ctx has ended.
func (s *Service) conclude(ctx context.Context, run core.Run, outcome agent.Outcome, failure error) error {
	durable := context.WithoutCancel(ctx)
	cause := context.Cause(ctx)
	switch {
	case failure != nil && errors.Is(cause, errTaken):
		return nil
	case failure != nil && errors.Is(cause, errClosing) && run.Resumable():
		return s.recovery.requeue(durable, run)
	}
	return s.completion.finish(durable, run, s.lastEvent(ctx, run, outcome.Reason, failure))
}

// converse lets the agent work on the run.
func (s *Service) converse(ctx context.Context, run core.Run, journal *journal) (outcome agent.Outcome, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("the run panicked: %v", problem)
		}
	}()
	if ctx.Err() != nil {
		return agent.Outcome{}, context.Cause(ctx)
	}
	task, err := s.task(ctx, run, journal)
	if err != nil {
		return agent.Outcome{}, err
	}
	outcome, err = s.agent.Run(ctx, task)
	if err == nil && outcome.Plan != nil {
		err = s.keepPlan(ctx, run, outcome.Plan)
	}
	return outcome, err
}

// cancelWithoutAccess cancels a run if the person who started it may not use its chat any
// more. If the database does not answer, the run goes on.
func (s *Service) cancelWithoutAccess(ctx context.Context, run core.Run) {
	_, err := s.gate.Project(ctx, core.Actor{UserID: run.UserID}, core.ActionChat, run.ProjectID)
	if lostAccess(err) {
		s.active.cancel(run.ID, errStopped)
	}
}

// lostAccess reports whether the gate refused, as opposed to a failure to ask it.
func lostAccess(err error) bool {
	return core.IsCode(err, core.CodeNotFound) || core.IsCode(err, core.CodeForbidden)
}

// causeOf returns why a model did not answer, if that is what the error says.
func causeOf(err error) core.ModelFailure {
	var failure *ai.Failure
	if !errors.As(err, &failure) {
		return ""
	}
	return failure.Cause
}

// lastEvent says how the run ended.
func (s *Service) lastEvent(ctx context.Context, run core.Run, reason core.CompletionReason, err error) core.Payload {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		if errors.Is(cause, errClosing) {
			return core.SessionError{Error: core.CodeInterrupted, Message: "The service was stopped. What was done so far is kept: write again to let me go on."}
		}
		if errors.Is(cause, errRunTooLong) {
			return core.TaskComplete{Reason: core.ReasonLimit}
		}
		return core.TaskComplete{Reason: core.ReasonStopped}
	}
	switch code := core.CodeOf(err); code {
	case "":
		return core.TaskComplete{Reason: reason}
	case core.CodeNoProvider, core.CodeCreditExhausted, core.CodeModelUnavailable:
		var known *core.Error
		errors.As(err, &known)
		return core.SessionError{Error: code, Message: known.Message, Cause: causeOf(err)}
	}
	s.log.ErrorContext(ctx, "run failed", "run", run.ID, "error", err)
	return core.SessionError{Error: core.CodeInternal, Message: "Something went wrong on our side. What was done so far is kept; run " + string(run.ID) + "."}
}

// intend stores the write-ahead note of what a tool call is about to change. It
// first waits until the log has the call itself, so that after a crash no note is
// without its call.
func (s *Service) intend(ctx context.Context, run core.Run, journal *journal, intent core.Intent) error {
	if err := journal.flush(); err != nil {
		return err
	}
	_, err := s.leases.update(ctx, s.store.Tables(), run.ID, func(r *core.Run) { r.Intent = &intent })
	if errors.Is(err, errTaken) {
		s.active.cancel(run.ID, errTaken)
	}
	return err
}

// watch renews the run's lease, and ends the run if another process asks for it.
func (s *Service) watch(ctx context.Context, run core.Run, notices <-chan *core.Notice) {
	if stored, err := s.store.Tables().Runs.ByID(ctx, run.ID); err == nil && stored.StopRequested {
		s.active.cancel(run.ID, errStopped)
	}
	ticker := time.NewTicker(heartbeat)
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
				s.active.cancel(run.ID, errStopped)
			}
		case <-ticker.C:
			s.renew(ctx, run)
		}
	}
}

// renew extends the lease, looks for a stop request whose notice was lost, and ends
// the run of a person who may no longer use the chat.
func (s *Service) renew(ctx context.Context, run core.Run) {
	renewed, err := s.leases.renew(ctx, run.ID)
	if errors.Is(err, errTaken) {
		s.active.cancel(run.ID, errTaken)
		return
	}
	if err != nil && ctx.Err() == nil {
		s.quietly.warn(ctx, "lease was not renewed", "run", run.ID, "error", err)
	}
	if renewed.StopRequested {
		s.active.cancel(run.ID, errStopped)
	}
	s.cancelWithoutAccess(ctx, run)
}
