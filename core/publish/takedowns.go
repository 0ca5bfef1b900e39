package publish

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// Takedowns has the use cases of admins of the installation around sites of others. They name a site by
// its address, and read nothing of its project. Many goroutines may use it.
type Takedowns struct {
	service *Service
	mail    *mailer.Queue
}

// NewTakedowns returns the use cases.
func NewTakedowns(service *Service, mail *mailer.Queue) *Takedowns { return &Takedowns{service, mail} }

// List returns the sites that are taken down to an admin, the latest first.
func (t *Takedowns) List(ctx context.Context, by core.Actor) ([]core.Takedown, error) {
	if _, err := t.service.deps.Gate.Instance(ctx, by, core.ActionInstanceSites); err != nil {
		return nil, err
	}
	return t.service.deps.Store.Tables().Takedowns.List(ctx)
}

// TakeDown takes down the site under a slug: in every process, visitors see the reason instead within 2 seconds,
// and open connections end. A mail tells the owners of its workspace why. It returns core.CodeNotFound for an address
// without a site, core.CodeConflict for a site that is down already, and core.CodeValidationFailed for a reason that
// is empty or has more than core.MaxTakedownReasonChars characters.
func (t *Takedowns) TakeDown(ctx context.Context, by core.Actor, slug, reason string) (core.Takedown, error) {
	var taken core.Takedown
	deps := t.service.deps
	err := deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := deps.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceSites); err != nil {
			return err
		}
		reason, err := core.CheckTakedownReason(reason)
		if err != nil {
			return err
		}
		project, err := tables.Projects.ByPublishedSlug(ctx, slug)
		if core.IsCode(err, core.CodeNotFound) || err == nil && project.DeletedAt != nil {
			return core.NotFound("site")
		}
		if err != nil {
			return err
		}
		taken = core.Takedown{ProjectID: project.ID, Slug: slug, Reason: reason, TakenBy: by.UserID, CreatedAt: core.At(deps.Now())}
		if err := tables.Takedowns.Create(ctx, taken); err != nil {
			return err
		}
		return t.tell(ctx, tables, by, project, taken, core.AuditSiteTakenDown)
	})
	if err != nil {
		return core.Takedown{}, err
	}
	t.mail.Wake()
	t.service.announce(ctx, taken.ProjectID)
	return taken, nil
}

// Lift brings the site of a project back, as its project publishes it now. It returns core.CodeNotFound for a
// site that is not down.
func (t *Takedowns) Lift(ctx context.Context, by core.Actor, id core.ID) error {
	deps := t.service.deps
	err := deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := deps.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceSites); err != nil {
			return err
		}
		taken, err := tables.Takedowns.Of(ctx, id)
		if err != nil {
			return err
		}
		project, err := tables.Projects.ByID(ctx, id)
		if err != nil {
			return err
		}
		if err := tables.Takedowns.Delete(ctx, id); err != nil {
			return err
		}
		return t.tell(ctx, tables, by, project, taken, core.AuditSiteLifted)
	})
	if err == nil {
		t.mail.Wake()
		t.service.announce(ctx, id)
	}
	return err
}

// tell mails the owners of the workspace, and writes to both logs.
func (t *Takedowns) tell(ctx context.Context, tables storage.Tables, by core.Actor, project core.Project, taken core.Takedown, action core.AuditAction) error {
	kind := mailer.NoticeSiteTakenDown
	if action == core.AuditSiteLifted {
		kind = mailer.NoticeSiteLifted
	}
	members, err := tables.Members.List(ctx, project.WorkspaceID)
	if err != nil {
		return err
	}
	for _, member := range members {
		if member.Role != core.RoleOwner {
			continue
		}
		owner, err := tables.Users.ByID(ctx, member.UserID)
		if err != nil {
			return err
		}
		notice := mailer.Notice{Kind: kind, Name: project.Name, Site: t.service.deps.Address(taken.Slug), Reason: taken.Reason}
		if err := t.mail.Notify(ctx, tables, owner, notice); err != nil {
			return err
		}
	}
	target := t.service.deps.Address(taken.Slug) + ": " + taken.Reason
	if err := t.service.deps.Audit.Record(ctx, tables, core.Actor{IP: by.IP}, project.WorkspaceID, action, target); err != nil {
		return err
	}
	return t.service.deps.Audit.RecordInstance(ctx, tables, by, action, target)
}
