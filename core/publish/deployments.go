package publish

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/addresses"
	"github.com/atelierhq/atelier/ports/storage"
)

// Unpublish takes the project's site off the network and frees its address. The
// deployments stay, for Rollback. A project without a site stays as it is. Errors
// are those of access.Gate.Project.
func (s *Service) Unpublish(ctx context.Context, by core.Actor, id core.ID) error {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionPublish, id); err != nil {
		return err
	}
	done, err := s.turns.take(ctx, id)
	if err != nil {
		return err
	}
	defer done()
	now := core.At(s.deps.Now())
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := access.ProjectIn(ctx, tables, by, core.ActionPublish, id); err != nil {
			return err
		}
		project, slug, err := addresses.TakeDown(ctx, tables, id, now)
		if err != nil || slug == "" {
			return err
		}
		return s.record(ctx, tables, by, project, core.AuditProjectUnpublished, s.deps.Address(slug))
	})
	if err == nil {
		s.announce(ctx, id)
	}
	return err
}

// Deployments returns the project's deployments, the newest first. The live one
// has the address under which it is served, which Rollback may have changed since
// it was made. Errors are those of access.Gate.Project.
func (s *Service) Deployments(ctx context.Context, by core.Actor, id core.ID) ([]core.Deployment, error) {
	project, err := s.deps.Gate.Project(ctx, by, core.ActionPublishRead, id)
	if err != nil {
		return nil, err
	}
	deployments, err := s.deps.Store.Tables().Deployments.List(ctx, id)
	if err != nil {
		return nil, err
	}
	for i := range deployments {
		if deployments[i].Status == core.DeploymentLive && project.PublishedSlug != nil {
			deployments[i] = s.at(deployments[i], *project.PublishedSlug)
		}
	}
	return deployments, nil
}

// Rollback makes an earlier deployment the live one again, as it was built then;
// the one that was live is rolled back. The site keeps its address; a project that
// is not published takes the address that the deployment had.
//
// A deployment that the project has not, and one whose files are gone, have code
// core.CodeNotFound; an address that serves another site by now core.CodeSlugTaken.
// Others are those of access.Gate.Project.
func (s *Service) Rollback(ctx context.Context, by core.Actor, id, deployment core.ID) (core.Deployment, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionPublish, id); err != nil {
		return core.Deployment{}, err
	}
	done, err := s.turns.take(ctx, id)
	if err != nil {
		return core.Deployment{}, err
	}
	defer done()
	target, err := s.deps.Store.Tables().Deployments.ByID(ctx, deployment)
	if err != nil {
		return core.Deployment{}, err
	}
	if target.ProjectID != id {
		return core.Deployment{}, core.NotFound("deployment")
	}
	if _, err := s.deps.Sites.List(ctx, deployment); err != nil {
		return core.Deployment{}, err
	}
	return s.restore(ctx, by, target)
}

// restore makes a stored deployment live under the slug that the project has, else
// under its own.
func (s *Service) restore(ctx context.Context, by core.Actor, target core.Deployment) (core.Deployment, error) {
	now := core.At(s.deps.Now())
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, err := access.ProjectIn(ctx, tables, by, core.ActionPublish, target.ProjectID)
		if err != nil {
			return err
		}
		if project.PublishedSlug != nil {
			target = s.at(target, *project.PublishedSlug)
		}
		project, err = goLive(ctx, tables, target, now, core.DeploymentRolledBack)
		if err != nil {
			return err
		}
		if err := tables.Deployments.SetStatus(ctx, target.ID, core.DeploymentLive); err != nil {
			return err
		}
		return s.record(ctx, tables, by, project, core.AuditProjectRolledBack, target.URL)
	})
	if err != nil {
		return core.Deployment{}, err
	}
	s.announce(ctx, target.ProjectID)
	target.Status = core.DeploymentLive
	return target, nil
}

// at gives a deployment another address.
func (s *Service) at(deployment core.Deployment, slug string) core.Deployment {
	deployment.Slug, deployment.URL = slug, s.deps.Address(slug)
	return deployment
}
