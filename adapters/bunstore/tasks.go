package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type taskRow struct {
	bun.BaseModel `bun:"table:tasks,alias:tk"`
	core.Task
}

func (r taskRow) task() core.Task { return r.Task }

type tasks struct{ session }

// Create implements storage.Tasks.
func (t tasks) Create(ctx context.Context, task core.Task) error {
	if err := storage.CheckText(task); err != nil {
		return err
	}
	return insert(ctx, t.session, "task", &taskRow{Task: task})
}

// ByID implements storage.Tasks.
func (t tasks) ByID(ctx context.Context, id core.ID) (core.Task, error) {
	row, err := find[taskRow](ctx, t.session, "task", "id", string(id))
	return row.task(), err
}

// List implements storage.Tasks.
func (t tasks) List(ctx context.Context, project core.ID) ([]core.Task, error) {
	rows, err := list[taskRow](ctx, t.session, "project_id", string(project), "tk.created_at, tk.id")
	return each(rows, taskRow.task), err
}

// Update implements storage.Tasks.
func (t tasks) Update(ctx context.Context, id core.ID, change func(*core.Task) error) (core.Task, error) {
	row, err := update(ctx, t.session, "task", id, func(row *taskRow) error {
		before := row.Task
		if err := change(&row.Task); err != nil {
			return err
		}
		row.ID, row.ProjectID, row.CreatedBy, row.CreatedAt = before.ID, before.ProjectID, before.CreatedBy, before.CreatedAt
		return storage.CheckText(row.Task)
	})
	return row.task(), err
}

// Delete implements storage.Tasks.
func (t tasks) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, t.session, "task", "tasks", id)
}

// CountOpen implements storage.Tasks.
func (t tasks) CountOpen(ctx context.Context, workspace core.ID) (count int, err error) {
	err = t.read(ctx, "task", func(ctx context.Context, db bun.IDB) error {
		found, err := db.NewSelect().Model((*taskRow)(nil)).Join("JOIN projects AS p ON p.id = tk.project_id").
			Where("p.workspace_id = ? AND tk.state <> ?", workspace, core.TaskMerged).Count(ctx)
		count = int(found)
		return err
	})
	return count, err
}

// Claim implements storage.Tasks.
func (t tasks) Claim(ctx context.Context, now, until core.Time) (core.Task, error) {
	var row taskRow
	err := schedule{noun: "task", table: "tasks", column: "due_at", where: "due_at > 0 AND "}.claim(ctx, t.session, &row, now, until)
	return row.task(), err
}

// Interrupt implements storage.Tasks.
func (t tasks) Interrupt(ctx context.Context, now core.Time) error {
	return t.exec(ctx, "task", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewUpdate().Table("tasks").Set("due_at = ?", now).Where("due_at > ?", now).Exec(ctx)
		return err
	})
}
