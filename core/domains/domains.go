// Package domains lets sites live under their owners' own names. A project claims a
// name; whoever owns it says so in DNS and lets it lead here; then the claim is
// active, and holds the name from all others for as long as both stay so.
//
// A project may have several active domains. The site is served at the primary one,
// which the project's record names, and the others redirect to it. The first that
// becomes active is primary until somebody chooses another or it is active no longer;
// then the oldest active one takes its place.
//
// Everything a claim depends on is looked up again, by whoever asks and by the
// service itself: what is pending often, what is active once a day. A claim that
// never became active lapses.
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

// Deps is what a Service works with. Log gets what goes wrong behind an answer that
// is good all the same.
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
	// TXTName and TXTValue are the record that proves who owns the name.
	TXTName  string `json:"txtName"`
	TXTValue string `json:"txtValue"`
	// Target is the name that the claimed one is to lead to.
	Target string `json:"target"`
	// Primary reports whether the site is served here; other active domains redirect to
	// the one that is.
	Primary bool `json:"primary"`
}

// Service is the use cases around domains. Those of its methods that take an actor
// first ask the gate; their errors are those of access.Gate.Project and those that
// the method names. It is started once and closed before the store is; many
// goroutines may use it.
type Service struct {
	Deps
	pace *pace
	// places bounds the checks that are under way.
	places chan struct{}

	stopped context.Context
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// New returns a service that has not started.
func New(deps Deps) *Service {
	s := &Service{Deps: deps, pace: newPace(deps.Now), places: make(chan struct{}, maxChecks)}
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

// Add claims a name for a project. A name that nobody may claim has code
// core.CodeValidationFailed, one that another project holds core.CodeDomainTaken,
// one that the project claims already, and one more than core.MaxDomains,
// core.CodeConflict.
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
			return core.Errorf(core.CodeConflict, "a project claims at most %d domains: remove one first", core.MaxDomains)
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

// Verify looks at once whether a claim has what it takes, and returns what became of
// it. A name that another project holds has code core.CodeDomainTaken; the claim stays,
// and says so. More than a few calls a minute for one project have code core.CodeRateLimited.
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

// Remove gives a claim up. The site is no longer served there, and the name is free.
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

// noDomain is what a claim that the caller may not know of has in common with one
// that is not there.
func noDomain() error { return core.NotFound("domain") }

// checkHolder refuses a name that another project holds.
func checkHolder(ctx context.Context, tables storage.Tables, claim core.Domain) error {
	holder, err := tables.Domains.Active(ctx, claim.Name)
	switch {
	case err == nil && holder.ProjectID != claim.ProjectID:
		return core.Errorf(core.CodeDomainTaken, "another project holds the domain %s: whoever has it must remove it there first", claim.Name)
	case core.IsCode(err, core.CodeNotFound):
		return nil
	}
	return err
}

// remove deletes a claim, with what the project's record says of it.
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
		s.Log.WarnContext(ctx, "followers not told of a changed domain", "project", project, "error", err)
	}
}
