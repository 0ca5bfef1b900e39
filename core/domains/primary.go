package domains

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// MakePrimary makes an active domain the primary one, at which the site is served
// and to which the other active domains redirect. A domain that is not active has
// code core.CodeConflict.
func (s *Service) MakePrimary(ctx context.Context, by core.Actor, id core.ID) (View, error) {
	claim, _, err := s.find(ctx, by, id)
	if err != nil {
		return View{}, err
	}
	var project core.Project
	err = s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		before, err := access.ProjectIn(ctx, tables, by, core.ActionDomainWrite, claim.ProjectID)
		if err != nil {
			return err
		}
		claim, project, err = s.choose(ctx, tables, id, claim.ProjectID)
		if err != nil || isPrimary(claim, before) {
			return err
		}
		return s.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditDomainPrimary, targetOf(claim, project))
	})
	if core.IsCode(err, core.CodeNotFound) {
		return View{}, noDomain()
	}
	if err != nil {
		return View{}, err
	}
	s.announce(ctx, project.ID)
	return s.present(claim, project), nil
}

// choose stores a claim as the primary one in the project's record, and returns
// both. It reads the claim under the lock of the project's row, as elect does: a
// transaction that ends a claim waits for that lock before the primary one is
// decided.
func (s *Service) choose(ctx context.Context, tables storage.Tables, id, owner core.ID) (claim core.Domain, project core.Project, err error) {
	project, err = tables.Projects.Update(ctx, owner, func(project *core.Project) (err error) {
		if claim, err = tables.Domains.ByID(ctx, id); err != nil {
			return err
		}
		if !claim.Holds() {
			return core.Errorf(core.CodeConflict, "the domain %s is not active: only an active domain can be primary", claim.Name)
		}
		s.name(project, &claim.Name)
		return nil
	})
	return claim, project, err
}

// elect updates the primary domain in the project's record: the current one if it is
// active, else the oldest active one, if any.
func (s *Service) elect(ctx context.Context, tables storage.Tables, id core.ID) (core.Project, error) {
	return tables.Projects.Update(ctx, id, func(project *core.Project) error {
		claims, err := tables.Domains.List(ctx, id)
		if err != nil {
			return err
		}
		claims = slices.DeleteFunc(claims, func(claim core.Domain) bool { return !claim.Holds() })
		switch {
		case len(claims) == 0:
			s.name(project, nil)
		case !slices.ContainsFunc(claims, func(claim core.Domain) bool { return isPrimary(claim, *project) }):
			s.name(project, &claims[0].Name)
		}
		return nil
	})
}

// name changes the domain in the project's record, nil for none.
func (s *Service) name(project *core.Project, domain *string) {
	if before := project.CustomDomain; before == domain || before != nil && domain != nil && *before == *domain {
		return
	}
	project.CustomDomain, project.UpdatedAt = domain, core.At(s.Now())
}

func isPrimary(claim core.Domain, project core.Project) bool {
	return claim.Holds() && project.CustomDomain != nil && *project.CustomDomain == claim.Name
}
