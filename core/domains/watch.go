package domains

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
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
	s.tasks.Go(func() {
		places := make(chan struct{}, atOnce)
		ticker := time.NewTicker(poll)
		defer ticker.Stop()
		for {
			s.checkDue(places)
			select {
			case <-s.stopped.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// Close stops the worker, and waits until running checks are stored, or until ctx ends.
func (s *Service) Close(ctx context.Context) error {
	s.stop()
	done := make(chan struct{})
	go func() {
		s.tasks.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// checkDue checks claims as long as any is due, as many at a time as there are places.
func (s *Service) checkDue(places chan struct{}) {
	for s.stopped.Err() == nil {
		select {
		case places <- struct{}{}:
		case <-s.stopped.Done():
			return
		}
		now := core.At(s.Now())
		claim, err := s.Store.Tables().Domains.Claim(s.stopped, now, now.Add(lease))
		if err != nil {
			<-places
			if !core.IsCode(err, core.CodeNotFound) && s.stopped.Err() == nil {
				s.Log.Warn("the domains that are due could not be read", "error", err)
			}
			return
		}
		s.tasks.Go(func() {
			defer func() { <-places }()
			if err := s.check(claim); err != nil && s.stopped.Err() == nil {
				s.Log.Warn("a domain could not be checked", "domain", claim.Name, "error", err)
			}
		})
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
		s.Log.Info("a claim of a domain has lapsed", "domain", claim.Name, "project", claim.ProjectID)
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
