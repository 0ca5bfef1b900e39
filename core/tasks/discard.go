package tasks

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Discard takes a task off the board. What is not merged is removed with its copy, and a run in it
// is stopped; a merged task leaves the project as it is. It returns core.CodeConflict for a task
// that is being merged.
func (b *Board) Discard(ctx context.Context, by core.Actor, project, id core.ID) error {
	task, err := b.find(ctx, by, core.ActionTask, project, id)
	if err != nil {
		return err
	}
	if task.State == core.TaskMerging {
		return core.Errorf(core.CodeConflict, "this task is being merged: wait until it is, and then undo the version")
	}
	// The copy goes first: a task whose copy is gone can be discarded again.
	if err := b.removeCopy(ctx, task); err != nil {
		return err
	}
	if err := b.deps.Store.Tables().Tasks.Delete(ctx, id); err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	b.announce(ctx, project)
	return nil
}

func (b *Board) removeCopy(ctx context.Context, task core.Task) error {
	if task.CopyID == "" {
		return nil
	}
	return b.deps.Copies.Remove(ctx, core.Unattended(task.By), task.CopyID)
}
