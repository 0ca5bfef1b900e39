package storage

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type deployments struct{ records records[core.Deployment] }

func deploymentsOf(session conn) records[core.Deployment] {
	return records[core.Deployment]{
		session: session,
		noun:    "deployment",
		table:   func(s *database) *table[core.ID, core.Deployment] { return &s.deployments },
		id:      func(d core.Deployment) core.ID { return d.ID },
		copy:    func(d core.Deployment) core.Deployment { return d },
		check: func(s *database, deployment core.Deployment) error {
			if !s.projects.has(deployment.ProjectID) {
				return core.NotFound("project")
			}
			return nil
		},
	}
}

// Create implements storage.Deployments.
func (d deployments) Create(ctx context.Context, deployment core.Deployment) error {
	return d.records.create(ctx, deployment)
}

// ByID implements storage.Deployments.
func (d deployments) ByID(ctx context.Context, id core.ID) (core.Deployment, error) {
	return d.records.byID(ctx, id)
}

// List implements storage.Deployments.
func (d deployments) List(ctx context.Context, project core.ID) ([]core.Deployment, error) {
	ofProject := func(deployment core.Deployment) bool { return deployment.ProjectID == project }
	return d.records.list(ctx, ofProject, func(a, b core.Deployment) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
}

// SetStatus implements storage.Deployments.
func (d deployments) SetStatus(ctx context.Context, id core.ID, status core.DeploymentStatus) error {
	if err := storage.CheckText(core.Deployment{Status: status}); err != nil {
		return err
	}
	return d.records.session.change(ctx, func(state *database) error {
		deployment, err := d.records.in(state, id)
		if err != nil {
			return err
		}
		deployment.Status = status
		return d.records.put(state, deployment)
	})
}

// Delete implements storage.Deployments.
func (d deployments) Delete(ctx context.Context, id core.ID) error {
	return d.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.deployments.edit(state), id) })
}

// CountSites implements storage.Deployments.
func (d deployments) CountSites(ctx context.Context) (int, error) {
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
