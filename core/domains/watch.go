package domains

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/worker"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// poll is how often the service looks for due claims; lease is how long no other
	// process checks the same one.
	poll  = 30 * time.Second
	lease = 2 * time.Minute
	// atOnce is how many due claims a process checks at a time.
	atOnce = 4
	// settleTime bounds storing a result.
	settleTime = 10 * time.Second
)

// Start starts a worker that checks claims in the background. Several processes may do
// so over the same database.
func (s *Service) Start() {
	loop := worker.Loop{Claim: s.claimDue, Poll: poll, Concurrency: atOnce}
	s.tasks.Go(func() { loop.Run(s.stopped) })
}

// Close stops the worker, and waits until running checks are stored, or until ctx ends.
func (s *Service) Close(ctx context.Context) error {
	s.stop()
	return ctxsync.Wait(ctx, &s.tasks)
}

// claimDue claims a domain whose check is due, and returns what checks it; nil if there is
// none.
func (s *Service) claimDue(ctx context.Context) func() {
	now := core.At(s.Now())
	due, err := s.Store.Tables().Domains.Claim(ctx, now, now.Add(lease))
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && ctx.Err() == nil {
			s.Log.Warn("could not read the domains that are due for a check", "error", err)
		}
		return nil
	}
	return func() {
		if err := s.check(due); err != nil && s.stopped.Err() == nil {
			s.Log.Warn("could not check a domain", "domain", due.Name, "error", err)
		}
	}
}

// check checks a claim and stores the result. It deletes an expired claim that was
// never active, and ignores one that a person removed meanwhile.
func (s *Service) check(claim core.Domain) error {
	project, err := s.Store.Tables().Projects.ByID(s.stopped, claim.ProjectID)
	if err != nil {
		return unlessGone(err)
	}
	found, err := s.look(s.stopped, claim, s.Rules.target(project))
	if err != nil {
		return err
	}
	if s.stopped.Err() != nil {
		// An interrupted look-up proves nothing; another check follows when the lease
		// expires.
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.stopped), settleTime)
	defer cancel()
	claim, _, err = s.settle(ctx, core.Actor{}, claim.ID, found)
	if err != nil && !core.IsCode(err, core.CodeDomainTaken) {
		return unlessGone(err)
	}
	if !s.isLapsed(claim) {
		return nil
	}
	lapsed := false
	err = s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		// A person may have verified it since.
		claim, err := tables.Domains.ByID(ctx, claim.ID)
		if lapsed = err == nil && s.isLapsed(claim); !lapsed {
			return err
		}
		return s.remove(ctx, tables, core.Actor{}, claim.ID, core.AuditDomainLapsed)
	})
	if err == nil && lapsed {
		s.Log.Info("a domain claim expired", "domain", claim.Name, "project", claim.ProjectID)
	}
	return unlessGone(err)
}

// isLapsed reports whether a claim has expired without ever being active.
func (s *Service) isLapsed(claim core.Domain) bool {
	return claim.VerifiedAt == nil && core.At(s.Now()) >= claim.CreatedAt.Add(lapse)
}

func unlessGone(err error) error {
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	return err
}
