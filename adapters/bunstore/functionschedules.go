package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type functionScheduleRow struct {
	bun.BaseModel `bun:"table:function_schedules,alias:fs"`
	core.FunctionSchedule
}

func (r functionScheduleRow) schedule() core.FunctionSchedule { return r.FunctionSchedule }

type functionSchedules struct{ session }

// Put implements storage.FunctionSchedules.
func (f functionSchedules) Put(ctx context.Context, deployment core.ID, schedules []core.FunctionSchedule) error {
	rows := make([]functionScheduleRow, len(schedules))
	for i, schedule := range schedules {
		if err := storage.CheckText(schedule); err != nil {
			return err
		}
		rows[i].FunctionSchedule = schedule
		rows[i].DeploymentID = deployment
	}
	return f.write(ctx, "deployment", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewDelete().Table("function_schedules").Where("deployment_id = ?", deployment).Exec(ctx)
		if err == nil && len(rows) > 0 {
			_, err = db.NewInsert().Model(&rows).Exec(ctx)
		}
		return err
	})
}

// List implements storage.FunctionSchedules.
func (f functionSchedules) List(ctx context.Context, deployment core.ID) ([]core.FunctionSchedule, error) {
	rows, err := list[functionScheduleRow](ctx, f.session, "deployment_id", string(deployment), "fs.name")
	return each(rows, functionScheduleRow.schedule), err
}

// Due implements storage.FunctionSchedules.
func (f functionSchedules) Due(ctx context.Context, now core.Time, except []core.ID) (core.FunctionSchedule, error) {
	var row functionScheduleRow
	err := f.read(ctx, "schedule", func(ctx context.Context, db bun.IDB) error {
		query := db.NewSelect().Model(&row).
			Join("JOIN projects AS p ON p.id = fs.project_id AND p.deployment_id = fs.deployment_id AND p.deleted_at IS NULL").
			Where("fs.due_at <= ?", now)
		if len(except) > 0 {
			query = query.Where("p.workspace_id NOT IN (?)", bun.List(except))
		}
		return query.OrderExpr("fs.due_at, fs.deployment_id, fs.name").Limit(1).Scan(ctx)
	})
	return row.schedule(), err
}

// Take implements storage.FunctionSchedules.
func (f functionSchedules) Take(ctx context.Context, seen core.FunctionSchedule, due, busyUntil core.Time) error {
	return f.exec(ctx, "schedule", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewUpdate().Table("function_schedules").Set("due_at = ?", due).Set("busy_until = ?", busyUntil).
			Where("deployment_id = ? AND name = ? AND due_at = ?", seen.DeploymentID, seen.Name, seen.DueAt).Exec(ctx)
		if err != nil {
			return err
		}
		if oneRow(result, "schedule") != nil {
			return core.Errorf(core.CodeConflict, "somebody else has taken the schedule")
		}
		return nil
	})
}

// Finish implements storage.FunctionSchedules.
func (f functionSchedules) Finish(ctx context.Context, taken core.FunctionSchedule) error {
	return f.exec(ctx, "schedule", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewUpdate().Table("function_schedules").Set("busy_until = 0").
			Where("deployment_id = ? AND name = ? AND busy_until = ?", taken.DeploymentID, taken.Name, taken.BusyUntil).Exec(ctx)
		return err
	})
}
