package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Tasks are tasks on copies of projects. They are deleted with the project; the deletion of a
// copy leaves its task.
type Tasks interface {
	Create(ctx context.Context, task core.Task) error
	ByID(ctx context.Context, id core.ID) (core.Task, error)
	// List returns a project's tasks, the oldest first.
	List(ctx context.Context, project core.ID) ([]core.Task, error)
	// Update works like Users.Update. ID, ProjectID, CreatedBy and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Task) error) (core.Task, error)
	Delete(ctx context.Context, id core.ID) error
	// CountOpen returns how many tasks of the projects of a workspace are not merged.
	CountOpen(ctx context.Context, workspace core.ID) (int, error)
	// Claim takes a lease on the task that has been due for longest at now: it sets DueAt to
	// until and returns the task. It returns core.CodeNotFound if none is due. No two callers
	// get the same one.
	Claim(ctx context.Context, now, until core.Time) (core.Task, error)
	// Interrupt makes every task due at now that is due later, because the processes that worked
	// on them died.
	Interrupt(ctx context.Context, now core.Time) error
}
