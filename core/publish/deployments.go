package publish

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/addresses"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/storage"
)

// lock waits for the lock of a project's deployments, and returns a function that releases it.
func (s *Service) lock(ctx context.Context, project core.ID) (unlock func(), err error) {
	unlock, err = s.locks.Lock(ctx, project)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "another change of the project's site is in progress: try again in a moment")
	}
	return unlock, nil
}

// Unpublish takes the project's site offline and frees its address. The deployments
// stay, for Rollback. It is idempotent: it does nothing for a project without a
// site. Errors are those of access.Gate.Project.
func (s *Service) Unpublish(ctx context.Context, by core.Actor, id core.ID) error {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionPublish, id); err != nil {
		return err
	}
	done, err := s.lock(ctx, id)
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

// Deployments returns the project's deployments, the newest first. The live one has
// its current address, which Rollback may have changed since it was made. Errors
// are those of access.Gate.Project.
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

// Rollback makes an earlier deployment live again, with the files of its build; the
// current one is marked as rolled back. The site keeps its address; a project that
// is not published gets the deployment's address.
//
// It returns core.CodeNotFound if the project has no such deployment or its files
// were removed, and core.CodeSlugTaken if the address serves another site by now.
// Other errors are those of access.Gate.Project.
func (s *Service) Rollback(ctx context.Context, by core.Actor, id, deployment core.ID) (core.Deployment, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionPublish, id); err != nil {
		return core.Deployment{}, err
	}
	done, err := s.lock(ctx, id)
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
	files, err := s.deps.Sites.List(ctx, deployment)
	if err != nil {
		return core.Deployment{}, err
	}
	project, err := s.deps.Gate.Project(ctx, by, core.ActionPublish, id)
	if err != nil {
		return core.Deployment{}, err
	}
	reserved, err := isReserved(ctx, s.deps.Store.Tables(), by, project)
	if err == nil && reserved {
		err = checkFunctions(ctx, s.deps.Sites, project.DeploymentID, files)
	}
	if err != nil {
		return core.Deployment{}, err
	}
	return s.restore(ctx, by, target)
}

// restore makes a stored deployment live under the project's slug, else under the
// deployment's own.
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
		before := project.DeploymentID
		project, err = goLive(ctx, tables, target, now, core.DeploymentRolledBack)
		if err != nil {
			return err
		}
		schedules, err := tables.FunctionSchedules.List(ctx, target.ID)
		if err != nil {
			return err
		}
		if err := schedule(ctx, tables, before, target, schedules, now); err != nil {
			return err
		}
		if err := tables.Deployments.SetStatus(ctx, target.ID, core.DeploymentLive); err != nil {
			return err
		}
		if err := s.deps.Hooks.Add(ctx, tables, webhooks.Published(target, by.UserID, true)); err != nil {
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

// at returns a deployment with another address.
func (s *Service) at(deployment core.Deployment, slug string) core.Deployment {
	deployment.Slug, deployment.URL = slug, s.deps.Address(slug)
	return deployment
}
