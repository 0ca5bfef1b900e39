package tasks

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/worker"
)

const (
	// poll is how often the worker looks for due tasks without a signal.
	poll = 2 * time.Second
	// waitPoll is how often it looks whether the agent has settled conflicts.
	waitPoll = time.Second
	// retryAfter is the back-off after a failed step.
	retryAfter = 30 * time.Second
	// concurrency bounds the steps of this process: the checks of a project need a browser.
	concurrency = 4
)

// Start starts the worker: it merges tasks whose conflicts the agent has settled, plays checks that
// were not played before the merge, removes copies that are merged, and finishes what a process that died began.
func (b *Board) Start(ctx context.Context) error {
	if b.deps.Exclusive {
		if err := b.deps.Store.Tables().Tasks.Interrupt(ctx, b.now()); err != nil {
			return err
		}
	}
	loop := worker.Loop{Claim: background{b}.claimDue, Wake: b.wake, Poll: poll, Concurrency: concurrency}
	b.tasks.Go(func() { loop.Run(b.life) })
	return nil
}

// Close stops the worker and waits for its steps, or until ctx ends.
func (b *Board) Close(ctx context.Context) error {
	b.end()
	return ctxsync.Wait(ctx, &b.tasks)
}

// background is the steps of tasks that nobody waits for.
type background struct{ *Board }

func (b background) claimDue(ctx context.Context) func() {
	task, err := b.deps.Store.Tables().Tasks.Claim(ctx, b.now(), b.now().Add(lease))
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && ctx.Err() == nil {
			b.deps.Log.Warn("could not look for due tasks", "error", err)
		}
		return nil
	}
	return func() {
		stop := b.hold(ctx, task)
		err := b.step(ctx, task)
		stop()
		switch {
		case err == nil || core.IsCode(err, core.CodeNotFound):
		case ctx.Err() != nil:
			// Another process goes on.
			_ = b.postpone(ctx, task.ID, waitPoll)
		default:
			b.deps.Log.Warn("could not go on with a task", "task", task.ID, "state", task.State, "error", err)
			_ = b.postpone(ctx, task.ID, retryAfter)
		}
	}
}

// step carries out what is due for a task.
func (b background) step(ctx context.Context, task core.Task) error {
	switch task.State {
	case core.TaskStarting:
		return b.start(ctx, task)
	case core.TaskMerging:
		return b.resume(ctx, task)
	case core.TaskMerged:
		return b.finish(ctx, task)
	}
	if !task.Resolving {
		return b.postpone(ctx, task.ID, 0)
	}
	return b.mergeResolved(ctx, task)
}

// resume goes on with a merge whose process died. What stops it is on the board then.
func (b background) resume(ctx context.Context, task core.Task) error {
	var err error
	if task.Work != "" {
		_, err = b.rebase(ctx, task)
	} else {
		_, err = b.merge(ctx, task, true)
	}
	return known(err)
}

// known is nil for an error that the board shows.
func known(err error) error {
	switch core.CodeOf(err) {
	case core.CodeInternal, core.CodeUnavailable:
		return err
	}
	return nil
}

// mergeResolved merges a task whose conflicts the agent has settled.
func (b background) mergeResolved(ctx context.Context, task core.Task) error {
	work, err := b.workOf(ctx, task)
	if err != nil {
		return err
	}
	if work.running {
		return b.postpone(ctx, task.ID, waitPoll)
	}
	if done, ended := work.last.(core.TaskComplete); !ended || done.Reason != core.ReasonDone {
		_, err := b.deps.Store.Tables().Tasks.Update(ctx, task.ID, func(stored *core.Task) error {
			stored.Resolving, stored.DueAt, stored.UpdatedAt = false, 0, b.now()
			stored.Problem = "the agent has not finished: look into its chat"
			return nil
		})
		b.announce(ctx, task.ProjectID)
		return err
	}
	task, err = b.claim(ctx, task.ID, task.By, func(task *core.Task) { task.Checks = core.TaskChecks{} })
	if core.IsCode(err, core.CodeChatBusy) {
		return b.postpone(ctx, task.ID, waitPoll)
	}
	if err != nil {
		return err
	}
	defer b.hold(ctx, task)()
	b.announce(ctx, task.ProjectID)
	_, err = b.merge(ctx, task, false)
	return known(err)
}

// postpone makes a task due again after a while, and never for 0. It logs a failure.
func (b *Board) postpone(ctx context.Context, id core.ID, while time.Duration) error {
	_, err := b.deps.Store.Tables().Tasks.Update(context.WithoutCancel(ctx), id, func(stored *core.Task) error {
		if stored.DueAt = 0; while > 0 {
			stored.DueAt = b.now().Add(while)
		}
		return nil
	})
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		b.deps.Log.Warn("could not postpone a task", "task", id, "error", err)
	}
	return err
}

// finish plays the checks after a merge, and removes the copy.
func (b background) finish(ctx context.Context, task core.Task) error {
	if task.Checks.State == core.ChecksPending {
		result, err := b.play(ctx, task)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			b.deps.Log.Warn("could not play the checks after a merge", "task", task.ID, "error", err)
			result = core.TaskChecks{State: core.ChecksUnavailable}
		}
		if _, err = b.deps.Store.Tables().Tasks.Update(ctx, task.ID, func(stored *core.Task) error {
			stored.Checks, stored.UpdatedAt = result, b.now()
			return nil
		}); err != nil {
			return err
		}
		b.announce(ctx, task.ProjectID)
	}
	if err := b.removeCopy(ctx, task); err != nil {
		return err
	}
	_, err := b.deps.Store.Tables().Tasks.Update(ctx, task.ID, func(stored *core.Task) error {
		stored.CopyID, stored.DueAt = "", 0
		return nil
	})
	b.announce(ctx, task.ProjectID)
	return err
}

// play plays the checks of the project.
func (b background) play(ctx context.Context, task core.Task) (core.TaskChecks, error) {
	results, err := b.deps.Checks.Play(ctx, task.ProjectID, func(checks.Result) error { return nil })
	if err != nil {
		return core.TaskChecks{}, err
	}
	played := verdictOf(results, task.Checks.Passed)
	if played.Ignored = task.Checks.Ignored; results != nil {
		return played, nil
	}
	has, err := b.deps.Checks.Has(ctx, task.ProjectID)
	if has {
		played.State = core.ChecksUnavailable
	}
	return played, err
}
