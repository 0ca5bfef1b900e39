package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type deploymentRow struct {
	bun.BaseModel `bun:"table:deployments,alias:d"`
	core.Deployment
}

type deployments struct{ session }

// Create implements storage.Deployments.
func (d deployments) Create(ctx context.Context, deployment core.Deployment) error {
	if err := storage.CheckText(deployment); err != nil {
		return err
	}
	return insert(ctx, d.session, "deployment", &deploymentRow{Deployment: deployment})
}

// ByID implements storage.Deployments.
func (d deployments) ByID(ctx context.Context, id core.ID) (core.Deployment, error) {
	row, err := find[deploymentRow](ctx, d.session, "deployment", "id", string(id))
	return row.Deployment, err
}

// List implements storage.Deployments.
func (d deployments) List(ctx context.Context, project core.ID) ([]core.Deployment, error) {
	rows, err := list[deploymentRow](ctx, d.session, "project_id", string(project), "d.created_at DESC, d.id DESC")
	return each(rows, func(row deploymentRow) core.Deployment { return row.Deployment }), err
}

// SetStatus implements storage.Deployments.
func (d deployments) SetStatus(ctx context.Context, id core.ID, status core.DeploymentStatus) error {
	if err := storage.CheckText(core.Deployment{Status: status}); err != nil {
		return err
	}
	return d.exec(ctx, "deployment", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewUpdate().Table("deployments").Set("status = ?", status).Where("id = ?", id).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "deployment")
	})
}

// Delete implements storage.Deployments.
func (d deployments) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, d.session, "deployment", "deployments", id)
}

// CountSites implements storage.Deployments.
func (d deployments) CountSites(ctx context.Context) (count int, err error) {
	err = d.read(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		found, err := db.NewSelect().Table("projects").Where("deployment_id IS NOT NULL AND deleted_at IS NULL").Count(ctx)
		count = int(found)
		return err
	})
	return count, err
}
