package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// FunctionSchedules say which functions of deployments run by the clock. They are deleted with
// their deployment.
type FunctionSchedules interface {
	// Put replaces the schedules of a deployment. Without the deployment it returns
	// core.CodeNotFound.
	Put(ctx context.Context, deployment core.ID, schedules []core.FunctionSchedule) error
	// List returns the schedules of a deployment by the functions' names.
	List(ctx context.Context, deployment core.ID) ([]core.FunctionSchedule, error)
	// Due returns the schedule that has been due for longest at now, of those whose deployment is
	// the live one of a project that is not deleted. It skips projects of the workspaces in
	// except, and returns core.CodeNotFound if none is due.
	Due(ctx context.Context, now core.Time, except []core.ID) (core.FunctionSchedule, error)
	// Take sets DueAt and BusyUntil of a schedule. It returns core.CodeConflict if it is not due
	// any more at the time at which it was seen: of several callers one succeeds.
	Take(ctx context.Context, seen core.FunctionSchedule, due, busyUntil core.Time) error
	// Finish ends the lease of a run. It does nothing if another has begun since.
	Finish(ctx context.Context, taken core.FunctionSchedule) error
}
