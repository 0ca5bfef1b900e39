package projects

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func deploymentClauses() []clause {
	return []clause{
		{"a deployment comes back as it was stored", deploymentComesBack},
		{"deployments are listed the newest first", deploymentsByAge},
		{"the status of a deployment changes alone", deploymentStatus},
		{"a deployment is deleted alone", deploymentDeleted},
		{"sites are counted while they are on the network", sitesCounted},
	}
}

func deploymentComesBack(s testCase) {
	deployment := s.NewDeployment(s.Project(s.Workspace().ID).ID)
	s.Must(s.Deployments.Create(s.Context(), deployment))
	got, err := s.Deployments.ByID(s.Context(), deployment.ID)
	s.Want(got, err, deployment)
	s.WantCode(s.Deployments.Create(s.Context(), deployment), core.CodeConflict)
	s.WantCode(s.Deployments.Create(s.Context(), s.NewDeployment(core.NewID())), core.CodeNotFound)
	deployment.ID, deployment.URL = core.NewID(), fixture.Unstorable()[0]
	s.WantCode(s.Deployments.Create(s.Context(), deployment), core.CodeValidationFailed)
	_, err = s.Deployments.ByID(s.Context(), core.ID(fixture.Unstorable()[0]))
	s.WantCode(err, core.CodeNotFound)
}

func deploymentsByAge(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	var want [3]core.Deployment
	for _, i := range []int{2, 0, 1} {
		want[i] = s.NewDeployment(project.ID)
		want[i].CreatedAt = core.Time(9 - i)
		s.Must(s.Deployments.Create(s.Context(), want[i]))
	}
	s.Must(s.Deployments.Create(s.Context(), s.NewDeployment(other.ID)))
	got, err := s.Deployments.List(s.Context(), project.ID)
	s.Want(got, err, want[:])
	got, err = s.Deployments.List(s.Context(), core.NewID())
	s.Want(len(got), err, 0)
}

func deploymentDeleted(s testCase) {
	project := s.Project(s.Workspace().ID)
	first, second := s.NewDeployment(project.ID), s.NewDeployment(project.ID)
	s.Must(s.Deployments.Create(s.Context(), first))
	s.Must(s.Deployments.Create(s.Context(), second))
	s.Must(s.Deployments.Delete(s.Context(), first.ID))
	got, err := s.Deployments.List(s.Context(), project.ID)
	s.Want(got, err, []core.Deployment{second})
	for _, id := range []core.ID{first.ID, core.NewID(), core.ID(fixture.Unstorable()[0])} {
		s.WantCode(s.Deployments.Delete(s.Context(), id), core.CodeNotFound)
	}
}

func sitesCounted(s testCase) {
	workspace := s.Workspace()
	live := func(p *core.Project) { p.DeploymentID = new(core.NewID()) }
	before, err := s.Deployments.CountSites(s.Context())
	s.Must(err)
	s.Project(workspace.ID)
	first := s.Project(workspace.ID, live)
	s.Project(s.Workspace().ID, live)
	s.Project(workspace.ID, live, func(p *core.Project) { p.DeletedAt = new(p.CreatedAt) })
	got, err := s.Deployments.CountSites(s.Context())
	s.Want(got, err, before+2)
	s.Must(s.Projects.Delete(s.Context(), first.ID))
	got, err = s.Deployments.CountSites(s.Context())
	s.Want(got, err, before+1)
	_, err = s.Deployments.CountSites(s.Ended())
	s.WantCode(err, core.CodeUnavailable)
}

func deploymentStatus(s testCase) {
	project := s.Project(s.Workspace().ID)
	first, second := s.NewDeployment(project.ID), s.NewDeployment(project.ID)
	s.Must(s.Deployments.Create(s.Context(), first))
	s.Must(s.Deployments.Create(s.Context(), second))
	s.Must(s.Deployments.SetStatus(s.Context(), first.ID, core.DeploymentSuperseded))
	first.Status = core.DeploymentSuperseded
	got, err := s.Deployments.List(s.Context(), project.ID)
	s.Want(got, err, []core.Deployment{second, first})
	s.WantCode(s.Deployments.SetStatus(s.Context(), core.NewID(), core.DeploymentLive), core.CodeNotFound)
	s.WantCode(s.Deployments.SetStatus(s.Context(), core.ID(fixture.Unstorable()[0]), core.DeploymentLive), core.CodeNotFound)
	s.WantCode(s.Deployments.SetStatus(s.Context(), first.ID, core.DeploymentStatus(fixture.Unstorable()[0])), core.CodeValidationFailed)
}
