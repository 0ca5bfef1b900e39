package publish

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
)

// schedulesOf returns which functions of a build run by the clock.
func schedulesOf(files []sites.File) []core.FunctionSchedule {
	for _, file := range files {
		if file.Path == core.FunctionSchedulesPath {
			return core.ParseFunctionSchedules(file.Content)
		}
	}
	return nil
}

// schedule starts the clock of a deployment that goes live, in the transaction of tables, and stops
// that of the one before. A run that is due already and has not begun is not lost if the function
// keeps its schedule.
func schedule(ctx context.Context, tables storage.Tables, before *core.ID, live core.Deployment, schedules []core.FunctionSchedule, now core.Time) error {
	if before != nil && *before == live.ID {
		return nil
	}
	due := make(map[string]core.Time)
	if before != nil {
		former, err := tables.FunctionSchedules.List(ctx, *before)
		if err != nil {
			return err
		}
		for i, old := range former {
			if old.DueAt <= now {
				due[old.Name+" "+old.Schedule] = old.DueAt
			}
			former[i].DueAt = core.Never
		}
		if len(former) > 0 {
			if err := tables.FunctionSchedules.Put(ctx, *before, former); err != nil {
				return err
			}
		}
	}
	for i, next := range schedules {
		next.ProjectID, next.DeploymentID, next.BusyUntil, next.DueAt = live.ProjectID, live.ID, 0, next.Next(now)
		if overdue, found := due[next.Name+" "+next.Schedule]; found {
			next.DueAt = overdue
		}
		schedules[i] = next
	}
	if len(schedules) == 0 {
		return nil
	}
	return tables.FunctionSchedules.Put(ctx, live.ID, schedules)
}
