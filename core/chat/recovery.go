package chat

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/storage"
)

// recovery takes over the runs of processes that died: their leases have expired. It also
// puts runs back into the queue to resume them.
type recovery struct {
	*process
	projects   Projects
	completion *completion
	wake       ctxsync.Signal
}

// start takes over the runs that a crash interrupted. An exclusive process knows at
// its start that nobody works on the active runs that it finds.
func (r *recovery) start(ctx context.Context) error {
	if r.exclusive {
		return r.takeAll(ctx, core.Time(math.MaxInt64))
	}
	return r.takeExpired(ctx)
}

// takeExpired takes over the runs whose lease has expired.
func (r *recovery) takeExpired(ctx context.Context) error {
	return r.takeAll(ctx, core.At(r.now()))
}

// takeAll takes over the runs whose lease expired before the given time: detached ones
// are queued to resume, the others end, with their work kept.
func (r *recovery) takeAll(ctx context.Context, before core.Time) error {
	runs, err := r.store.Tables().Runs.Lapsed(ctx, before)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if r.active.has(run.ID) {
			continue
		}
		// A run that no longer exists was deleted with its project.
		err := r.inherit(ctx, run)
		if err != nil && !core.IsCode(err, core.CodeConflict) && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
		r.lost.remove(run.ID)
	}
	return nil
}

// inherit takes over a run whose lease has expired. It returns core.CodeConflict if its
// process renewed the lease since the run was listed, or if another process was faster.
func (r *recovery) inherit(ctx context.Context, run core.Run) error {
	taken, err := r.leases.takeOver(ctx, run)
	if err != nil {
		return err
	}
	r.catchUp(ctx, taken)
	return r.resumeOrEnd(ctx, taken)
}

// catchUpTime bounds the search for what a command left behind: other runs wait for it.
const catchUpTime = 10 * time.Second

// catchUp reports what an interrupted command changed. Commands write without the
// project's lock, and after the crash nobody reported their changes.
func (r *recovery) catchUp(ctx context.Context, run core.Run) {
	ctx, cancel := context.WithTimeout(ctx, catchUpTime)
	defer cancel()
	if err := r.projects.CatchUp(ctx, run.ProjectID); err != nil && ctx.Err() == nil {
		r.limitedLog.Warn(ctx, "could not find what an interrupted run had changed", "run", run.ID, "error", err)
	}
}

// resumeOrEnd queues a run that was taken over, or ends it.
func (r *recovery) resumeOrEnd(ctx context.Context, run core.Run) error {
	switch {
	case run.StopRequested:
		return r.completion.finish(ctx, run, core.TaskComplete{Reason: core.ReasonStopped})
	case run.Resumable():
		return r.requeue(ctx, run)
	}
	return r.completion.finish(ctx, run, interruption)
}

// interruption is the last event of a run that is not resumed.
var interruption = core.SessionError{Error: core.CodeInterrupted, Message: "The run was interrupted. Everything done so far is kept: write again to let me continue."}

// maxResumes is how often a run is resumed without having made progress: the run itself
// may be what kills the process.
const maxResumes = 3

// requeue queues a run to resume where its log ends, unless its last maxResumes
// resumptions made no progress. It returns core.CodeConflict if another process was
// faster.
func (r *recovery) requeue(ctx context.Context, run core.Run) error {
	events, err := r.store.Tables().Events.Read(ctx, run.ChatID, storage.EventRange{Limit: historyLimit, Newest: true})
	if err != nil {
		return err
	}
	events = slices.DeleteFunc(events, func(e core.Event) bool { return e.Seq <= run.ResumedAt })
	resumes := run.Resumes + 1
	if hasProgress(events) {
		resumes = 0
	}
	if resumes > maxResumes {
		return r.completion.finish(ctx, run, interruption)
	}
	_, err = r.store.Tables().Runs.Update(ctx, run.ID, func(stored *core.Run) error {
		if stored.Status != core.RunRunning || stored.Owner != run.Owner {
			return core.Errorf(core.CodeConflict, "the run is %s and belongs to another process", stored.Status)
		}
		stored.Resumes = resumes
		if n := len(events); n > 0 {
			stored.ResumedAt = events[n-1].Seq
		}
		stored.Status, stored.CreditHeld = core.RunQueued, 0
		return nil
	})
	if err == nil {
		r.wake.Send()
	}
	return err
}

// requeueAfterFailure is requeue of a run whose process lives. It tells the run's followers that the
// work goes on.
func (r *recovery) requeueAfterFailure(ctx context.Context, run core.Run) error {
	now := core.At(r.now())
	told := core.UsageInfo{Retry: &core.Retry{Cause: core.FailureService, At: now}}
	var events []core.Event
	err := r.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		err := r.leases.check(ctx, tables, run.ID)
		if err != nil {
			return err
		}
		events, err = tables.Events.Append(ctx, run.ChatID, now, []core.Payload{told})
		return err
	})
	if err != nil {
		return err
	}
	r.events.announce(ctx, run, events)
	return r.requeue(ctx, run)
}

// hasProgress reports whether a model call was completed.
func hasProgress(events []core.Event) bool {
	return slices.ContainsFunc(events, func(e core.Event) bool {
		info, is := e.Payload.(core.UsageInfo)
		return is && info.Retry == nil
	})
}
