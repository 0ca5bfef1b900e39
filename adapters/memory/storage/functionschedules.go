package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// scheduleKey is the key of a function's schedule.
type scheduleKey struct {
	deployment core.ID
	name       string
}

func keyOf(schedule core.FunctionSchedule) scheduleKey {
	return scheduleKey{schedule.DeploymentID, schedule.Name}
}

type functionSchedules struct{ session conn }

// Put implements storage.FunctionSchedules.
func (f functionSchedules) Put(ctx context.Context, deployment core.ID, schedules []core.FunctionSchedule) error {
	for _, schedule := range schedules {
		if err := storage.CheckText(schedule); err != nil {
			return err
		}
	}
	return f.session.change(ctx, func(state *database) error {
		if len(schedules) > 0 && !state.deployments.has(deployment) {
			return core.NotFound("deployment")
		}
		state.schedules.drop(state, func(s core.FunctionSchedule) bool { return s.DeploymentID == deployment })
		for _, schedule := range schedules {
			schedule.DeploymentID = deployment
			state.schedules.edit(state)[keyOf(schedule)] = schedule
		}
		return nil
	})
}

// List implements storage.FunctionSchedules.
func (f functionSchedules) List(ctx context.Context, deployment core.ID) ([]core.FunctionSchedule, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return nil, err
	}
	return state.schedulesWhere(func(s core.FunctionSchedule) bool { return s.DeploymentID == deployment }), nil
}

// schedulesWhere returns the matching schedules by their functions' names.
func (s *database) schedulesWhere(match func(core.FunctionSchedule) bool) []core.FunctionSchedule {
	var found []core.FunctionSchedule
	for _, schedule := range s.schedules.rows {
		if match(schedule) {
			found = append(found, schedule)
		}
	}
	slices.SortFunc(found, func(a, b core.FunctionSchedule) int { return cmp.Compare(a.Name, b.Name) })
	return found
}

// Due implements storage.FunctionSchedules.
func (f functionSchedules) Due(ctx context.Context, now core.Time, except []core.ID) (core.FunctionSchedule, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return core.FunctionSchedule{}, err
	}
	due := state.schedulesWhere(func(s core.FunctionSchedule) bool {
		project := state.projects.rows[s.ProjectID]
		live := project.DeletedAt == nil && project.DeploymentID != nil && *project.DeploymentID == s.DeploymentID
		return live && s.DueAt <= now && !slices.Contains(except, project.WorkspaceID)
	})
	if len(due) == 0 {
		return core.FunctionSchedule{}, core.NotFound("schedule")
	}
	return slices.MinFunc(due, func(a, b core.FunctionSchedule) int {
		return cmp.Or(cmp.Compare(a.DueAt, b.DueAt), cmp.Compare(a.DeploymentID, b.DeploymentID), cmp.Compare(a.Name, b.Name))
	}), nil
}

// Take implements storage.FunctionSchedules.
func (f functionSchedules) Take(ctx context.Context, seen core.FunctionSchedule, due, busyUntil core.Time) error {
	return f.session.change(ctx, func(state *database) error {
		present, found := state.schedules.rows[keyOf(seen)]
		if !found || present.DueAt != seen.DueAt {
			return core.Errorf(core.CodeConflict, "somebody else has taken the schedule")
		}
		present.DueAt, present.BusyUntil = due, busyUntil
		state.schedules.edit(state)[keyOf(seen)] = present
		return nil
	})
}

// Finish implements storage.FunctionSchedules.
func (f functionSchedules) Finish(ctx context.Context, taken core.FunctionSchedule) error {
	return f.session.change(ctx, func(state *database) error {
		present, found := state.schedules.rows[keyOf(taken)]
		if found && present.BusyUntil == taken.BusyUntil {
			present.BusyUntil = 0
			state.schedules.edit(state)[keyOf(taken)] = present
		}
		return nil
	})
}
