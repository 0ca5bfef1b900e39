package memory

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type storeDeployments struct{ records storeRecords[core.Deployment] }

func deploymentsOf(session storeSession) storeRecords[core.Deployment] {
	return storeRecords[core.Deployment]{
		session: session,
		noun:    "deployment",
		table:   func(s *storeState) *storeTable[core.ID, core.Deployment] { return &s.deployments },
		id:      func(d core.Deployment) core.ID { return d.ID },
		copy:    func(d core.Deployment) core.Deployment { return d },
		check: func(s *storeState, deployment core.Deployment) error {
			if !s.projects.has(deployment.ProjectID) {
				return core.NotFound("project")
			}
			return nil
		},
	}
}

func (d storeDeployments) Create(ctx context.Context, deployment core.Deployment) error {
	return d.records.create(ctx, deployment)
}

func (d storeDeployments) ByID(ctx context.Context, id core.ID) (core.Deployment, error) {
	return d.records.byID(ctx, id)
}

func (d storeDeployments) List(ctx context.Context, project core.ID) ([]core.Deployment, error) {
	ofProject := func(deployment core.Deployment) bool { return deployment.ProjectID == project }
	return d.records.list(ctx, ofProject, func(a, b core.Deployment) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
}

func (d storeDeployments) SetStatus(ctx context.Context, id core.ID, status core.DeploymentStatus) error {
	if err := storage.CheckText(core.Deployment{Status: status}); err != nil {
		return err
	}
	return d.records.session.change(ctx, func(state *storeState) error {
		deployment, err := d.records.in(state, id)
		if err != nil {
			return err
		}
		deployment.Status = status
		return d.records.put(state, deployment)
	})
}

func (d storeDeployments) Delete(ctx context.Context, id core.ID) error {
	return d.records.delete(ctx, id, func(state *storeState, id core.ID) { delete(state.deployments.edit(state), id) })
}

func (d storeDeployments) CountSites(ctx context.Context) (int, error) {
	state, err := d.records.session.view(ctx)
	if err != nil {
		return 0, err
	}
	sites := 0
	for _, project := range state.projects.rows {
		if project.DeploymentID != nil && project.DeletedAt == nil {
			sites++
		}
	}
	return sites, nil
}
