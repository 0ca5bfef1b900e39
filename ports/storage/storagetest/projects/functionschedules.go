package projects

import (
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func functionScheduleClauses() []clause {
	return []clause{
		{"schedules are listed by name, each deployment's own, and replaced together", schedulesListed},
		{"the schedule that has been due for longest comes first", schedulesDue},
		{"only live deployments of projects that are there are due", schedulesOfLiveDeployments},
		{"of many who take a schedule one succeeds", schedulesTakenOnce},
		{"a run that ends gives back its own lease", schedulesFinished},
		{"schedules go with their deployment, which they need", schedulesOfDeployment},
		{"no call on schedules outlives its context", schedulesEnded},
	}
}

// liveDeployment makes a project with a live deployment.
func liveDeployment(s testCase, workspace core.ID) core.Deployment {
	s.Helper()
	project := s.Project(workspace)
	deployment := core.Deployment{ID: core.NewID(), ProjectID: project.ID, Slug: project.Slug, Status: core.DeploymentLive, CreatedAt: s.Now()}
	s.Must(s.Deployments.Create(s.Context(), deployment))
	_, err := s.Projects.Update(s.Context(), project.ID, func(p *core.Project) error {
		p.DeploymentID = &deployment.ID
		return nil
	})
	s.Must(err)
	return deployment
}

// putSchedule gives a deployment one function that runs by the clock.
func putSchedule(s testCase, of core.Deployment, name string, due core.Time) core.FunctionSchedule {
	s.Helper()
	made := core.FunctionSchedule{ProjectID: of.ProjectID, DeploymentID: of.ID, Name: name, Schedule: "0 8 * * *", DueAt: due}
	s.Must(s.FunctionSchedules.Put(s.Context(), of.ID, []core.FunctionSchedule{made}))
	return made
}

func schedulesListed(s testCase) {
	workspace := s.Workspace().ID
	first, second := liveDeployment(s, workspace), liveDeployment(s, workspace)
	putSchedule(s, second, "other", 5)
	made := []core.FunctionSchedule{
		{ProjectID: first.ProjectID, DeploymentID: first.ID, Name: "b", Schedule: "* * * * *", DueAt: core.Never},
		{ProjectID: first.ProjectID, DeploymentID: first.ID, Name: "a", Schedule: "0 8 * * *", DueAt: 7, BusyUntil: 9},
	}
	s.Must(s.FunctionSchedules.Put(s.Context(), first.ID, made))
	got, err := s.FunctionSchedules.List(s.Context(), first.ID)
	s.Want(got, err, []core.FunctionSchedule{made[1], made[0]})
	s.Must(s.FunctionSchedules.Put(s.Context(), first.ID, made[:1]))
	got, err = s.FunctionSchedules.List(s.Context(), first.ID)
	s.Want(got, err, made[:1])
	s.Must(s.FunctionSchedules.Put(s.Context(), first.ID, nil))
	got, err = s.FunctionSchedules.List(s.Context(), first.ID)
	s.Want(len(got), err, 0)
}

func schedulesDue(s testCase) {
	workspace, other := s.Workspace().ID, s.Workspace().ID
	second := putSchedule(s, liveDeployment(s, workspace), "second", 20)
	first := putSchedule(s, liveDeployment(s, workspace), "first", 10)
	third := putSchedule(s, liveDeployment(s, other), "third", 30)
	_, err := s.FunctionSchedules.Due(s.Context(), 9, nil)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.FunctionSchedules.Due(s.Context(), 30, nil)
	s.Want(got, err, first)
	s.Must(s.FunctionSchedules.Take(s.Context(), first, 100, 90))
	got, err = s.FunctionSchedules.Due(s.Context(), 30, nil)
	s.Want(got, err, second)
	got, err = s.FunctionSchedules.Due(s.Context(), 30, []core.ID{workspace})
	s.Want(got, err, third)
	_, err = s.FunctionSchedules.Due(s.Context(), 30, []core.ID{workspace, other})
	s.WantCode(err, core.CodeNotFound)
}

func schedulesOfLiveDeployments(s testCase) {
	deployment := liveDeployment(s, s.Workspace().ID)
	made := putSchedule(s, deployment, "a", 10)
	change := func(change func(p *core.Project)) {
		_, err := s.Projects.Update(s.Context(), deployment.ProjectID, func(p *core.Project) error { change(p); return nil })
		s.Must(err)
	}
	for _, c := range []func(p *core.Project){
		func(p *core.Project) { p.DeploymentID = nil },
		func(p *core.Project) { p.DeploymentID = new(core.NewID()) },
		func(p *core.Project) { p.DeploymentID, p.DeletedAt = &deployment.ID, new(core.Time(5)) },
	} {
		change(c)
		_, err := s.FunctionSchedules.Due(s.Context(), 30, nil)
		s.WantCode(err, core.CodeNotFound)
	}
	change(func(p *core.Project) { p.DeletedAt = nil })
	got, err := s.FunctionSchedules.Due(s.Context(), 30, nil)
	s.Want(got, err, made)
}

func schedulesTakenOnce(s testCase) {
	made := putSchedule(s, liveDeployment(s, s.Workspace().ID), "a", 10)
	var taken atomic.Int32
	fixture.Together(8, func(int) {
		err := s.FunctionSchedules.Take(s.Context(), made, 100, 90)
		if err == nil {
			taken.Add(1)
			return
		}
		s.WantCode(err, core.CodeConflict)
	})
	s.Want(taken.Load(), nil, int32(1))
	got, err := s.FunctionSchedules.List(s.Context(), made.DeploymentID)
	made.DueAt, made.BusyUntil = 100, 90
	s.Want(got, err, []core.FunctionSchedule{made})
}

func schedulesFinished(s testCase) {
	made := putSchedule(s, liveDeployment(s, s.Workspace().ID), "a", 10)
	s.Must(s.FunctionSchedules.Take(s.Context(), made, 100, 90))
	taken := made
	taken.BusyUntil = 80
	s.Must(s.FunctionSchedules.Finish(s.Context(), taken))
	made.DueAt, made.BusyUntil = 100, 90
	got, err := s.FunctionSchedules.List(s.Context(), made.DeploymentID)
	s.Want(got, err, []core.FunctionSchedule{made})
	s.Must(s.FunctionSchedules.Finish(s.Context(), made))
	made.BusyUntil = 0
	got, err = s.FunctionSchedules.List(s.Context(), made.DeploymentID)
	s.Want(got, err, []core.FunctionSchedule{made})
}

func schedulesOfDeployment(s testCase) {
	deployment := liveDeployment(s, s.Workspace().ID)
	made := putSchedule(s, deployment, "a", 10)
	s.WantCode(s.FunctionSchedules.Put(s.Context(), core.NewID(), []core.FunctionSchedule{made}), core.CodeNotFound)
	for _, text := range fixture.Unstorable() {
		wrong := made
		wrong.Schedule = text
		s.WantCode(s.FunctionSchedules.Put(s.Context(), deployment.ID, []core.FunctionSchedule{wrong}), core.CodeValidationFailed)
	}
	s.Must(s.Deployments.Delete(s.Context(), deployment.ID))
	got, err := s.FunctionSchedules.List(s.Context(), deployment.ID)
	s.Want(len(got), err, 0)
	s.WantCode(s.FunctionSchedules.Take(s.Context(), made, 100, 90), core.CodeConflict)
	s.Must(s.FunctionSchedules.Finish(s.Context(), made))
	gone := liveDeployment(s, s.Workspace().ID)
	putSchedule(s, gone, "b", s.Now().Add(-time.Hour))
	s.Must(s.Projects.Delete(s.Context(), gone.ProjectID))
	got, err = s.FunctionSchedules.List(s.Context(), gone.ID)
	s.Want(len(got), err, 0)
}

func schedulesEnded(s testCase) {
	s.WantCode(s.FunctionSchedules.Put(s.Ended(), core.NewID(), nil), core.CodeUnavailable)
	_, err := s.FunctionSchedules.List(s.Ended(), core.NewID())
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.FunctionSchedules.Due(s.Ended(), 1, nil)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.FunctionSchedules.Take(s.Ended(), core.FunctionSchedule{}, 1, 1), core.CodeUnavailable)
	s.WantCode(s.FunctionSchedules.Finish(s.Ended(), core.FunctionSchedule{}), core.CodeUnavailable)
}
