package projects

import (
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/storage"
)

// Retention is how long deleted projects are kept; 0 keeps them until somebody purges
// them.
type Retention time.Duration

// trashPoll is how often a process looks for expired deleted projects.
const trashPoll = time.Hour

// Trash deletes projects, and restores or purges those that were deleted. Its worker
// purges what has been deleted long enough.
type Trash struct {
	deps  *Deps
	views *Views
	// life is the context of the worker, which tasks waits for.
	life  context.Context
	end   context.CancelFunc
	tasks sync.WaitGroup
	// wake makes the worker look at once.
	wake ctxsync.Signal
}

func newTrash(deps *Deps, views *Views) *Trash {
	life, end := context.WithCancel(context.Background())
	return &Trash{deps: deps, views: views, life: life, end: end, wake: ctxsync.NewSignal()}
}

// Start starts the worker that purges expired deleted projects and finishes interrupted
// purges. The database knows what is due, so a stop loses nothing, and several processes
// may purge at once.
func (t *Trash) Start() {
	t.tasks.Go(func() {
		ticker := time.NewTicker(trashPoll)
		defer ticker.Stop()
		for {
			if err := t.PurgeExpired(t.life); err != nil && t.life.Err() == nil {
				t.deps.Log.Warn("could not remove expired projects from the trash", "error", err)
			}
			select {
			case <-t.life.Done():
				return
			case <-t.wake:
			case <-ticker.C:
			}
		}
	})
}

// WakePurge makes the worker of this process remove at once what is marked as being removed. It
// never waits.
func (t *Trash) WakePurge() { t.wake.Send() }

// Close stops the worker and waits for its current purge, or until ctx ends.
func (t *Trash) Close(ctx context.Context) error {
	t.end()
	return ctxsync.Wait(ctx, &t.tasks)
}

// Delete removes a project from all lists, takes its site offline, and stops its runs.
// Everything is kept, so that Restore brings it back.
func (t *Trash) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	if _, err := t.deps.Gate.Project(ctx, by, core.ActionProjectDelete, id); err != nil {
		return err
	}
	if err := t.bury(ctx, by, id); err != nil {
		return err
	}
	return t.deps.withCopies(ctx, id, t.stopRuns)
}

// Restore brings back a soft-deleted project. It is idempotent: a project that is not
// deleted is returned unchanged. One that is being removed permanently has code
// CodeNotFound.
func (t *Trash) Restore(ctx context.Context, by core.Actor, id core.ID) (View, error) {
	project, err := t.deps.Gate.DeletedProject(ctx, by, core.ActionProjectDelete, id)
	if err != nil || project.DeletedAt == nil {
		return t.views.Present(project), err
	}
	if _, err := t.deps.Trees.Open(ctx, id); err != nil {
		return View{}, err
	}
	now := core.At(t.deps.Now())
	err = t.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if project, err = access.DeletedProjectIn(ctx, tables, by, core.ActionProjectDelete, id); err != nil || project.DeletedAt == nil {
			return err
		}
		project, err = updateWithCopies(ctx, tables, id, func(project *core.Project) error {
			project.DeletedAt, project.UpdatedAt = nil, now
			return nil
		})
		if err != nil {
			return err
		}
		return t.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectRestored, project.Name)
	})
	if err != nil {
		return View{}, err
	}
	t.deps.announce(ctx, id)
	return t.views.Present(project), nil
}

// bury marks the project as deleted; the time of an earlier deletion stays.
func (t *Trash) bury(ctx context.Context, by core.Actor, id core.ID) error {
	now := core.At(t.deps.Now())
	err := t.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, err := access.DeletedProjectIn(ctx, tables, by, core.ActionProjectDelete, id)
		if err != nil || project.DeletedAt != nil {
			return err
		}
		_, err = updateWithCopies(ctx, tables, id, func(project *core.Project) error {
			project.DeletedAt, project.UpdatedAt = &now, now
			return nil
		})
		if err != nil {
			return err
		}
		return t.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectDeleted, project.Name)
	})
	if err == nil {
		t.deps.announce(ctx, id)
	}
	return err
}

// stopRuns asks every run of the project to end.
func (t *Trash) stopRuns(ctx context.Context, id core.ID) error {
	tables := t.deps.Store.Tables()
	runs, err := tables.Chats.Runs(ctx, id)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if err := t.stopRun(ctx, tables, run); err != nil {
			return err
		}
	}
	return nil
}

func (t *Trash) stopRun(ctx context.Context, tables storage.Tables, run core.Run) error {
	_, err := tables.Runs.Update(ctx, run.ID, func(run *core.Run) error {
		run.StopRequested = true
		return nil
	})
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	notice := core.Notice{Kind: core.NoticeRunStop, ProjectID: run.ProjectID, ChatID: run.ChatID, RunID: run.ID}
	if err := t.deps.Bus.Publish(ctx, notice); err != nil {
		t.deps.Log.WarnContext(ctx, "could not tell the process of a run to stop", "run", run.ID, "error", err)
	}
	return nil
}
