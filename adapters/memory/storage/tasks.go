package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type tasks struct{ records records[core.Task] }

func tasksOf(session conn) records[core.Task] {
	return records[core.Task]{
		session: session,
		noun:    "task",
		table:   func(s *database) *table[core.ID, core.Task] { return &s.tasks },
		id:      func(t core.Task) core.ID { return t.ID },
		copy: func(t core.Task) core.Task {
			t.Conflicts = slices.Clone(t.Conflicts)
			t.Checks.Passed, t.Checks.Failed = slices.Clone(t.Checks.Passed), slices.Clone(t.Checks.Failed)
			return t
		},
		pin: func(t *core.Task, before core.Task) {
			t.ID, t.ProjectID, t.CreatedBy, t.CreatedAt = before.ID, before.ProjectID, before.CreatedBy, before.CreatedAt
		},
		check: func(s *database, task core.Task) error {
			if !s.projects.has(task.ProjectID) {
				return core.NotFound("project")
			}
			return nil
		},
	}
}

// Create implements storage.Tasks.
func (t tasks) Create(ctx context.Context, task core.Task) error { return t.records.create(ctx, task) }

// ByID implements storage.Tasks.
func (t tasks) ByID(ctx context.Context, id core.ID) (core.Task, error) {
	return t.records.byID(ctx, id)
}

// List implements storage.Tasks.
func (t tasks) List(ctx context.Context, project core.ID) ([]core.Task, error) {
	return t.records.list(ctx, func(task core.Task) bool { return task.ProjectID == project }, func(a, b core.Task) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.Tasks.
func (t tasks) Update(ctx context.Context, id core.ID, change func(*core.Task) error) (core.Task, error) {
	return t.records.update(ctx, id, change)
}

// Delete implements storage.Tasks.
func (t tasks) Delete(ctx context.Context, id core.ID) error {
	return t.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.tasks.edit(state), id) })
}

// CountOpen implements storage.Tasks.
func (t tasks) CountOpen(ctx context.Context, workspace core.ID) (int, error) {
	state, err := t.records.session.view(ctx)
	if err != nil {
		return 0, err
	}
	open := t.records.listIn(state, func(task core.Task) bool {
		return task.State != core.TaskMerged && state.projects.rows[task.ProjectID].WorkspaceID == workspace
	}, nil)
	return len(open), nil
}

// Claim implements storage.Tasks.
func (t tasks) Claim(ctx context.Context, now, until core.Time) (core.Task, error) {
	due := func(task core.Task) (core.Time, bool) { return task.DueAt, task.DueAt > 0 }
	return t.records.claimDue(ctx, now, due, func(task *core.Task) { task.DueAt = until })
}

// Interrupt implements storage.Tasks.
func (t tasks) Interrupt(ctx context.Context, now core.Time) error {
	return t.records.session.change(ctx, func(state *database) error {
		for id, task := range state.tasks.rows {
			if task.DueAt > now {
				task.DueAt = now
				state.tasks.edit(state)[id] = task
			}
		}
		return nil
	})
}
