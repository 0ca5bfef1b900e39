package domains

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/dns"
	"github.com/atelierhq/atelier/ports/storage"
)

// Deps has the dependencies of a Service. Log gets failures that do not change the answer to the
// caller.
type Deps struct {
	Store storage.Store
	Gate  *access.Gate
	Audit *audit.Log
	Bus   broadcast.Bus
	DNS   dns.Resolver
	Rules Rules
	Now   func() time.Time
	Log   *slog.Logger
}

// View is a claim as clients see it.
type View struct {
	core.Domain
	// TXTName and TXTValue are the record that proves the ownership of the name.
	TXTName  string `json:"txtName"`
	TXTValue string `json:"txtValue"`
	// Target is the name to which the claimed one must point.
	Target string `json:"target"`
	// Primary reports whether the site is served here; other active domains redirect to
	// the one that is.
	Primary bool `json:"primary"`
}

// Service has the use cases around domains. Methods that take an actor first ask the gate;
// their errors are those of access.Gate.Project and those that the method names. It is
// started once and closed before the store; many goroutines may use it.
type Service struct {
	Deps
	pace *pace
	// semaphore bounds concurrent checks.
	semaphore chan struct{}

	stopped context.Context
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// New returns a service that has not started.
func New(deps Deps) *Service {
	s := &Service{Deps: deps, pace: newPace(deps.Now), semaphore: make(chan struct{}, maxChecks)}
	s.stopped, s.stop = context.WithCancel(context.Background())
	return s
}

// List returns a project's claims, the oldest first.
func (s *Service) List(ctx context.Context, by core.Actor, project core.ID) ([]View, error) {
	found, err := s.Gate.Project(ctx, by, core.ActionDomainRead, project)
	if err != nil {
		return nil, err
	}
	claims, err := s.Store.Tables().Domains.List(ctx, project)
	if err != nil {
		return nil, err
	}
	views := make([]View, len(claims))
	for i, claim := range claims {
		views[i] = s.present(claim, found)
	}
	return views, nil
}

// Add claims a name for a project. It returns core.CodeValidationFailed for a name that
// nobody may claim, core.CodeDomainTaken for one that another project holds, and
// core.CodeConflict for one that the project already claims or beyond core.MaxDomains.
func (s *Service) Add(ctx context.Context, by core.Actor, project core.ID, name string) (View, error) {
	found, err := s.Gate.Project(ctx, by, core.ActionDomainWrite, project)
	if err != nil {
		return View{}, err
	}
	if name, err = s.Rules.parse(name); err != nil {
		return View{}, err
	}
	now := core.At(s.Now())
	claim := core.Domain{
		ID: core.NewID(), ProjectID: project, Name: name, Status: core.DomainPendingDNS,
		CreatedAt: now, Token: rand.Text(), CheckAt: now.Add(firstWait),
	}
	claim.Message = advise(claim, finding{pointing: missing, proof: missing}, s.Rules.target(found))
	err = s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		found, err = access.ProjectIn(ctx, tables, by, core.ActionDomainWrite, project)
		if err != nil {
			return err
		}
		others, err := tables.Domains.List(ctx, project)
		if err != nil {
			return err
		}
		if len(others) >= core.MaxDomains {
			return core.Errorf(core.CodeConflict, "a project can have at most %d domains: remove one first", core.MaxDomains)
		}
		if err := checkHolder(ctx, tables, claim); err != nil {
			return err
		}
		if err := tables.Domains.Create(ctx, claim); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tables, by, found.WorkspaceID, core.AuditDomainAdded, targetOf(claim, found))
	})
	return s.present(claim, found), err
}

// Verify checks a claim at once and returns its new state. If another project holds the name,
// it returns core.CodeDomainTaken; the claim stays, and says so. More than maxVerifies calls
// a minute for one project have code core.CodeRateLimited.
func (s *Service) Verify(ctx context.Context, by core.Actor, id core.ID) (View, error) {
	claim, project, err := s.find(ctx, by, id)
	if err != nil {
		return View{}, err
	}
	if err := s.pace.take(project.ID); err != nil {
		return View{}, err
	}
	found, err := s.look(ctx, claim, s.Rules.target(project))
	if err != nil {
		return View{}, err
	}
	claim, project, err = s.settle(ctx, by, id, found)
	return s.present(claim, project), err
}

// Remove deletes a claim. The site is no longer served there, and the name is free.
func (s *Service) Remove(ctx context.Context, by core.Actor, id core.ID) error {
	claim, _, err := s.find(ctx, by, id)
	if err != nil {
		return err
	}
	err = s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := access.ProjectIn(ctx, tables, by, core.ActionDomainWrite, claim.ProjectID); err != nil {
			return err
		}
		return s.remove(ctx, tables, by, id, core.AuditDomainRemoved)
	})
	if err == nil {
		s.announce(ctx, claim.ProjectID)
	}
	if core.IsCode(err, core.CodeNotFound) {
		return noDomain()
	}
	return err
}

// find returns a claim that the caller may change, and its project.
func (s *Service) find(ctx context.Context, by core.Actor, id core.ID) (core.Domain, core.Project, error) {
	claim, err := s.Store.Tables().Domains.ByID(ctx, id)
	if err != nil {
		return core.Domain{}, core.Project{}, err
	}
	project, err := s.Gate.Project(ctx, by, core.ActionDomainWrite, claim.ProjectID)
	if core.IsCode(err, core.CodeNotFound) {
		return core.Domain{}, core.Project{}, noDomain()
	}
	return claim, project, err
}

// noDomain is the error both for a claim that does not exist and for one that the caller may
// not know about.
func noDomain() error { return core.NotFound("domain") }

// checkHolder returns an error if another project holds the name.
func checkHolder(ctx context.Context, tables storage.Tables, claim core.Domain) error {
	holder, err := tables.Domains.Active(ctx, claim.Name)
	switch {
	case err == nil && holder.ProjectID != claim.ProjectID:
		return core.Errorf(core.CodeDomainTaken, "another project has the domain %s: it must be removed there first", claim.Name)
	case core.IsCode(err, core.CodeNotFound):
		return nil
	}
	return err
}

// remove deletes a claim and updates the project's record.
func (s *Service) remove(ctx context.Context, tables storage.Tables, by core.Actor, id core.ID, action core.AuditAction) error {
	claim, err := tables.Domains.ByID(ctx, id)
	if err != nil {
		return err
	}
	if err := tables.Domains.Delete(ctx, id); err != nil {
		return err
	}
	project, err := s.elect(ctx, tables, claim.ProjectID)
	if err != nil {
		return err
	}
	return s.Audit.Record(ctx, tables, by, project.WorkspaceID, action, targetOf(claim, project))
}

func targetOf(claim core.Domain, project core.Project) string {
	return claim.Name + " for " + project.Name
}

func (s *Service) present(claim core.Domain, project core.Project) View {
	return View{
		Domain: claim, TXTName: claim.ProofName(), TXTValue: claim.ProofValue(), Target: s.Rules.target(project),
		Primary: isPrimary(claim, project),
	}
}

// announce tells the project's followers that its record changed.
func (s *Service) announce(ctx context.Context, project core.ID) {
	if err := s.Bus.Publish(ctx, core.Notice{Kind: core.NoticeProject, ProjectID: project}); err != nil {
		s.Log.WarnContext(ctx, "could not notify followers of a changed domain", "project", project, "error", err)
	}
}
