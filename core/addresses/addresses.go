// Package addresses takes sites offline and frees their addresses. All use cases that do so
// go through it, so that no address goes to strangers while visitors trust it.
package addresses

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// TakeDown takes a project's site offline, in the transaction of tables. Its deployments
// stay, but none is live, and its address is freed. It returns the changed project and the
// freed slug. It is idempotent: a project without a site does not change, and the slug is
// "".
func TakeDown(ctx context.Context, tables storage.Tables, id core.ID, now core.Time) (project core.Project, slug string, err error) {
	var live *core.ID
	project, err = tables.Projects.Update(ctx, id, func(project *core.Project) error {
		live, slug = project.DeploymentID, ""
		if project.PublishedSlug != nil {
			slug = *project.PublishedSlug
		}
		if live != nil || slug != "" {
			project.UpdatedAt = now
		}
		project.DeploymentID, project.PublishedSlug, project.PublishedAt = nil, nil, nil
		return nil
	})
	if err == nil && live != nil {
		err = tables.Deployments.SetStatus(ctx, *live, core.DeploymentSuperseded)
	}
	if err != nil || slug == "" {
		return project, slug, err
	}
	return project, slug, HoldSlug(ctx, tables, slug, project.WorkspaceID, now)
}

// HoldSlug reserves a freed slug for its workspace, for core.SlugHold.
func HoldSlug(ctx context.Context, tables storage.Tables, slug string, workspace core.ID, now core.Time) error {
	return tables.SlugHolds.Hold(ctx, slug, workspace, now.Add(core.SlugHold))
}
