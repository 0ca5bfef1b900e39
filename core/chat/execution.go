package chat

import (
	"context"
	"errors"
	"fmt"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/core/codeintel"
	"github.com/atelierhq/atelier/core/connectors"
	"github.com/atelierhq/atelier/core/typecheck"
	"github.com/atelierhq/atelier/core/webpage"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/tracing"
)

// executor lets the agent work on runs whose lease this process holds.
type executor struct {
	*process
	gate       *access.Gate
	agent      *agent.Agent
	tracer     tracing.Tracer
	models     Models
	projects   Projects
	pages      *browsing.Service
	types      *typecheck.Service
	code       *codeintel.Service
	web        *webpage.Reader
	connectors *connectors.Toolbox
	checks     *checks.Service
	completion *completion
	recovery   *recovery
}

// start works on a run in a goroutine of its own; a resumed run continues where its log
// ends.
func (e *executor) start(run core.Run) {
	e.active.life.tasks.Go(e.active.add(run, func(ctx context.Context) { e.execution(ctx, run).work(ctx) }))
}

// queuedWork returns what works on a run that waited in the queue: the person who started it
// may have lost their access since.
func (e *executor) queuedWork(run core.Run) (work func()) {
	return e.active.add(run, func(ctx context.Context) {
		heartbeat{e, run}.cancelWithoutAccess(ctx)
		e.execution(ctx, run).work(ctx)
	})
}

// execution is the work of this process on one run.
type execution struct {
	*executor
	run     core.Run
	journal *journal
	// aside is the run's mode, if that is not the chat's.
	aside string
	// reel holds the frames that the run has filmed.
	reel reel
}

func (e *executor) execution(ctx context.Context, run core.Run) *execution {
	x := &execution{executor: e, run: run}
	// Events are stored even if the run was cancelled.
	durable := context.WithoutCancel(ctx)
	x.journal = newJournal(func(batch []core.Payload) error { return x.storeEvents(durable, batch) })
	return x
}

// work carries out the run from its first model call to its last event, as a trace of its own: it
// outlives the request that began it, and may be resumed by another process.
func (x *execution) work(ctx context.Context) {
	ctx, span := tracing.Begin(ctx, x.tracer, "agent run", tracing.Internal)
	alive, stop := context.WithCancel(ctx)
	defer stop()
	heartbeat{x.executor, x.run}.start(alive)
	outcome, err := x.converse(ctx)
	if flushed := x.journal.flush(); err == nil {
		err = flushed
	}
	defer endTrace(ctx, span, outcome, err)
	if err := x.conclude(ctx, outcome, err); err != nil {
		x.log.ErrorContext(ctx, "could not end a run", "run", x.run.ID, "error", err)
		x.lost.add(x.run.ID)
	}
}

// endTrace ends the span of a run. One that somebody stopped did not fail.
func endTrace(ctx context.Context, span tracing.Span, outcome agent.Outcome, err error) {
	if context.Cause(ctx) != nil {
		outcome.Reason, err = core.ReasonStopped, nil
	}
	span.Add(tracing.Text("atelier.run.outcome", string(outcome.Reason)))
	tracing.End(span, err)
}

// conclude ends a run that this process worked on, or leaves it for another process
// to resume. It stores the end even if ctx has ended.
func (x *execution) conclude(ctx context.Context, outcome agent.Outcome, failure error) error {
	durable := context.WithoutCancel(ctx)
	cause := context.Cause(ctx)
	switch {
	case failure != nil && errors.Is(cause, errTaken):
		return nil
	case failure != nil && errors.Is(cause, errClosing) && x.run.Resumable():
		return x.recovery.requeue(durable, x.run)
	case cause == nil && core.IsCode(failure, core.CodeUnavailable) && x.run.Resumable():
		// A statement that took too long, for example, costs nobody the run.
		x.limitedLog.Warn(ctx, "a run goes on later", "run", x.run.ID, "error", failure)
		return x.recovery.requeueAfterFailure(durable, x.run)
	}
	return x.completion.finish(durable, x.run, x.lastEvent(ctx, outcome, failure))
}

// converse lets the agent work on the run.
func (x *execution) converse(ctx context.Context) (outcome agent.Outcome, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("the run panicked: %v", problem)
		}
	}()
	if ctx.Err() != nil {
		return agent.Outcome{}, context.Cause(ctx)
	}
	task, err := x.task(ctx)
	if err != nil {
		return agent.Outcome{}, err
	}
	if page := x.page(ctx); page != nil {
		defer page.Close()
		task.Eyes, task.Keep = page, x.film(core.MaxFrameBytes)
	}
	if x.types != nil {
		task.Types = runTypes{x}
	}
	if x.web != nil {
		task.Web = runWeb{x.web, x}
	}
	if task.Connectors, err = x.connectorsFor(ctx); err != nil {
		return agent.Outcome{}, err
	}
	if x.checks != nil {
		task.Checks = func(ctx context.Context, tell func(core.CheckResult) error) ([]core.CheckFailure, error) {
			return x.checks.PlayFor(ctx, x.run.ProjectID, x.film(core.MaxCheckPicture), tell)
		}
	}
	outcome, err = x.agent.Run(ctx, task)
	if err == nil && outcome.Plan != nil {
		err = x.memory().keepPlan(ctx, outcome.Plan)
	}
	return outcome, err
}

// lastEvent says how the run ended.
func (x *execution) lastEvent(ctx context.Context, outcome agent.Outcome, err error) core.Payload {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		if errors.Is(cause, errClosing) {
			return core.SessionError{Error: core.CodeInterrupted, Message: "The service was stopped. Everything done so far is kept: write again to let me continue."}
		}
		if errors.Is(cause, errRunTooLong) {
			return core.TaskComplete{Reason: core.ReasonLimit}
		}
		return core.TaskComplete{Reason: core.ReasonStopped}
	}
	switch code := core.CodeOf(err); code {
	case "":
		complete := core.TaskComplete{Reason: outcome.Reason, Question: outcome.Question, Approval: outcome.Approval}
		if outcome.Reason == core.ReasonAsked {
			complete.Mode = x.aside
		}
		return complete
	case core.CodeUnavailable:
		x.log.WarnContext(ctx, "a run was interrupted", "run", x.run.ID, "error", err)
		return core.SessionError{Error: core.CodeInterrupted, Message: "The service could not read or save something for a while. Everything done so far is kept: write again to let me continue."}
	case core.CodeNoProvider, core.CodeCreditExhausted, core.CodeModelUnavailable:
		var known *core.Error
		errors.As(err, &known)
		failed := core.SessionError{Error: code, Message: known.Message, Cause: causeOf(err)}
		if known.RetryAfter > 0 {
			failed.RetryAt = core.At(x.now().Add(known.RetryAfter))
		}
		return failed
	}
	x.log.ErrorContext(ctx, "run failed", "run", x.run.ID, "error", err)
	return core.SessionError{Error: core.CodeInternal, Message: "An internal error occurred. Everything done so far is kept; run " + string(x.run.ID) + "."}
}

// causeOf returns why a model did not answer, if that is what the error says.
func causeOf(err error) core.ModelFailure {
	var failure *ai.Failure
	if !errors.As(err, &failure) {
		return ""
	}
	return failure.Cause
}

// intend stores the write-ahead note of what a tool call is about to change. It
// first waits until the log has the call itself, so that after a crash no note is
// without its call.
func (x *execution) intend(ctx context.Context, intent core.Intent) error {
	if err := x.journal.flush(); err != nil {
		return err
	}
	err := x.update(ctx, func(r *core.Run) { r.Intent = &intent })
	if errors.Is(err, errTaken) {
		x.active.cancel(x.run.ID, errTaken)
	}
	return err
}

// update changes the run's row. It returns errTaken if the run is no longer this process's.
func (x *execution) update(ctx context.Context, change func(*core.Run)) error {
	_, err := x.leases.update(ctx, x.store.Tables(), x.run.ID, change)
	return err
}

// storeEvents stores payloads in the chat's log and tells the project's followers. If
// another process has taken the run over, it stores nothing and ends this process's
// work on it.
func (x *execution) storeEvents(ctx context.Context, payloads []core.Payload) error {
	events, err := x.append(ctx, payloads)
	if errors.Is(err, errTaken) {
		x.active.cancel(x.run.ID, errTaken)
	}
	if err != nil {
		return err
	}
	x.events.announce(ctx, x.run, events)
	return nil
}

// append stores payloads and, in the same transaction, the changed files that they
// report in the run's row. It returns errTaken if the run is no longer this process's.
func (x *execution) append(ctx context.Context, payloads []core.Payload) (events []core.Event, err error) {
	changed := changesIn(payloads)
	if bool(x.exclusive) && len(changed) == 0 {
		return x.store.Tables().Events.Append(ctx, x.run.ChatID, core.At(x.now()), payloads)
	}
	err = x.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := x.recordChanges(ctx, tables, changed); err != nil {
			return err
		}
		events, err = tables.Events.Append(ctx, x.run.ChatID, core.At(x.now()), payloads)
		return err
	})
	return events, err
}

// recordChanges records in the run's row what the run changed. It returns errTaken if the
// run is no longer this process's.
func (x *execution) recordChanges(ctx context.Context, tables storage.Tables, changed []core.FileChanged) error {
	if len(changed) == 0 {
		return x.leases.check(ctx, tables, x.run.ID)
	}
	_, err := x.leases.update(ctx, tables, x.run.ID, func(r *core.Run) {
		r.Changed = pathUnion(r.Changed, pathsOfEvents(changed, r.Intent))
	})
	return err
}

// changesIn returns the changed files that payloads report.
func changesIn(payloads []core.Payload) []core.FileChanged {
	var changed []core.FileChanged
	for _, payload := range payloads {
		if file, ok := payload.(core.FileChanged); ok {
			changed = append(changed, file)
		}
	}
	return changed
}
