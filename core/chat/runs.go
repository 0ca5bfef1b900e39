package chat

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/attachments"
)

// Runs is the use cases around the runs of the agent. It must be started before messages
// are sent and closed before the process ends.
type Runs struct {
	*process
	gate        *access.Gate
	attachments *attachments.Loader
	chats       *Chats
	followers   *Followers
	completion  *completion
	recovery    *recovery
	executor    *executor
	queue       *queue
}

// Start recovers the runs that a crash interrupted, and starts the worker that takes
// queued runs.
func (r *Runs) Start(ctx context.Context) error {
	if err := r.recovery.start(ctx); err != nil {
		return err
	}
	r.life.tasks.Go(r.queue.serve)
	return nil
}

// Close cancels all runs. It waits until each is committed and has its last event, or is
// left for another process to resume, and until every follower has sent that and ended.
// It returns early if ctx ends.
func (r *Runs) Close(ctx context.Context) error {
	r.life.end()
	done := make(chan struct{})
	go func() {
		r.life.tasks.Wait()
		// The caller ends the requests next, and followers still need them.
		r.followers.end()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WakeQueue wakes the worker of the queue because a run is queued, so that it does not wait
// for the next poll.
func (r *Runs) WakeQueue() { r.queue.wake.Send() }

// ActiveCount returns how many runs this process works on.
func (r *Runs) ActiveCount() int { return r.active.count() }

// Stop asks the run of a chat to end, whichever process works on it. It is idempotent:
// an idle chat is no error.
func (r *Runs) Stop(ctx context.Context, by core.Actor, project, chat core.ID) error {
	if _, _, err := chatIn(ctx, r.store.Tables(), by, project, chat); err != nil {
		return err
	}
	run, err := r.store.Tables().Runs.Busy(ctx, chat)
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.stop(ctx, run)
}

// StopOf asks the runs that a person started in a project to end, as Stop does.
func (r *Runs) StopOf(ctx context.Context, project, user core.ID) error {
	runs, err := r.store.Tables().Chats.Runs(ctx, project)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run.UserID != user {
			continue
		}
		if err := r.stop(ctx, run); err != nil && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
	}
	return nil
}

func (r *Runs) stop(ctx context.Context, run core.Run) error {
	if run.Status == core.RunQueued {
		err := r.endQueued(ctx, run)
		if !core.IsCode(err, core.CodeConflict) {
			return err
		}
		// A process has just begun to work on it, and gets a stop request like any
		// other.
	}
	return r.requestStop(ctx, run)
}

// endQueued ends a run that no process works on yet. It returns core.CodeConflict if
// one does.
func (r *Runs) endQueued(ctx context.Context, run core.Run) error {
	stopped := core.TaskComplete{Reason: core.ReasonStopped, Changed: new(0)}
	if run.ResumedAt > 0 {
		return r.completion.finish(ctx, run, stopped)
	}
	return r.completion.end(ctx, run, []core.Payload{userMessage(run), stopped})
}

// requestStop asks the process that works on a run to end it.
func (r *Runs) requestStop(ctx context.Context, run core.Run) error {
	_, err := r.store.Tables().Runs.Update(ctx, run.ID, func(stored *core.Run) error {
		stored.StopRequested = true
		return nil
	})
	if err != nil || r.active.cancel(run.ID, errStopped) {
		return err
	}
	return r.bus.Publish(ctx, core.Notice{Kind: core.NoticeRunStop, ProjectID: run.ProjectID, ChatID: run.ChatID, RunID: run.ID})
}
