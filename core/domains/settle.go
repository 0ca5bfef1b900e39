package domains

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// firstWait is the first back-off between checks of a pending claim; it doubles
	// with every check up to maxWait.
	firstWait = time.Minute
	maxWait   = time.Hour
	// lapse is the age at which a claim that was never active expires
	//.
	lapse = 7 * 24 * time.Hour
	// recheck is how often a claim that is or was active is checked; failingRecheck how
	// often one that lacks a record.
	recheck        = 24 * time.Hour
	failingRecheck = 6 * time.Hour
	// grace is how long an active claim may lack a record, and leastFailures how many
	// checks must have failed, before it stops being active.
	grace         = 3 * 24 * time.Hour
	leastFailures = 4
)

// settle stores the new state of a claim after a finding, and returns the claim and its
// project. If another project holds the name, it stores that and returns
// core.CodeDomainTaken.
func (s *Service) settle(ctx context.Context, by core.Actor, id core.ID, found finding) (after core.Domain, project core.Project, err error) {
	var turned bool
	var obstacle error
	err = s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		before, err := tables.Domains.ByID(ctx, id)
		if err != nil {
			return err
		}
		project, err = projectOf(ctx, tables, by, before)
		if err != nil {
			return err
		}
		next := s.judge(before, found, s.Rules.target(project), by.UserID == "")
		if project.DeletedAt != nil && !before.Holds() && next.Holds() {
			// A claim of a deleted project takes no name from others.
			next.Status, next.VerifiedAt, next.CheckAt = before.Status, before.VerifiedAt, core.At(s.Now()).Add(maxWait)
		}
		after, obstacle, err = s.change(ctx, tables, before, next)
		if err != nil {
			return err
		}
		turned = before.Holds() != after.Holds()
		if !turned {
			return nil
		}
		project, err = s.recordTurn(ctx, tables, by, after)
		return err
	})
	if err != nil {
		return core.Domain{}, core.Project{}, err
	}
	if turned {
		s.announce(ctx, after.ProjectID)
	}
	return after, project, obstacle
}

// projectOf returns the project of a claim if the caller may settle it: the service
// itself, or a person who has not lost the right during the look-up.
func projectOf(ctx context.Context, tables storage.Tables, by core.Actor, claim core.Domain) (core.Project, error) {
	if by.UserID == "" {
		return tables.Projects.ByID(ctx, claim.ProjectID)
	}
	return access.ProjectIn(ctx, tables, by, core.ActionDomainWrite, claim.ProjectID)
}

// judge returns the next state of a claim after a finding.
func (s *Service) judge(claim core.Domain, found finding, target string, background bool) core.Domain {
	now := core.At(s.Now())
	claim.CheckedAt, claim.Checks, claim.Message = &now, found.checks(), advise(claim, found, target)
	if found.complete() {
		if !claim.Holds() {
			claim.VerifiedAt = &now
		}
		claim.Status, claim.Attempts, claim.FailingSince, claim.CheckAt = core.DomainActive, 0, nil, now.Add(recheck)
		return claim
	}
	if background {
		claim.Attempts++
	}
	if claim.Holds() {
		return judgeActive(claim, found, now)
	}
	claim.CheckAt = now.Add(wait(claim.Attempts))
	switch {
	case claim.VerifiedAt != nil:
		claim.Status, claim.CheckAt = core.DomainError, now.Add(recheck)
	case found.pointing == present:
		claim.Status = core.DomainPendingVerification
	case found.pointing == missing || claim.Status == core.DomainError:
		claim.Status = core.DomainPendingDNS
	}
	return claim
}

// judgeActive keeps a claim active for a grace period if a record is certainly missing,
// because people make mistakes. Name servers that do not answer prove nothing.
func judgeActive(claim core.Domain, found finding, now core.Time) core.Domain {
	claim.CheckAt = now.Add(failingRecheck)
	if !found.lacking() {
		return claim
	}
	if claim.FailingSince == nil {
		claim.FailingSince = &now
	}
	ends := claim.FailingSince.Add(grace)
	if now >= ends && claim.Attempts >= leastFailures {
		claim.Status, claim.Attempts, claim.CheckAt = core.DomainError, 0, now.Add(recheck)
		claim.Message = "the site is no longer served here: " + claim.Message
		return claim
	}
	claim.Message = "the site will soon no longer be served here: " + claim.Message
	return claim
}

// wait is the back-off of a pending claim after a number of checks.
func wait(attempts int) time.Duration {
	d := firstWait
	for range attempts {
		if d >= maxWait {
			return maxWait
		}
		d *= 2
	}
	return min(d, maxWait)
}

// change stores the next state of a claim. If another project holds the name, it stores
// and returns that obstacle instead.
func (s *Service) change(ctx context.Context, tables storage.Tables, before, next core.Domain) (after core.Domain, obstacle, err error) {
	obstacle = checkHolder(ctx, tables, before)
	if obstacle == nil {
		after, err = put(ctx, tables, next)
		if !core.IsCode(err, core.CodeDomainTaken) {
			return after, nil, err
		}
		obstacle = err
	}
	if !core.IsCode(obstacle, core.CodeDomainTaken) {
		return core.Domain{}, nil, obstacle
	}
	next.Status, next.VerifiedAt, next.FailingSince = core.DomainError, before.VerifiedAt, before.FailingSince
	next.Message, next.CheckAt = messageOf(obstacle), core.At(s.Now()).Add(maxWait)
	after, err = put(ctx, tables, next)
	return after, obstacle, err
}

func put(ctx context.Context, tables storage.Tables, next core.Domain) (core.Domain, error) {
	return tables.Domains.Update(ctx, next.ID, func(claim *core.Domain) error {
		*claim = next
		return nil
	})
}

// recordTurn updates the project's record and the audit log when a claim becomes or
// stops being active.
func (s *Service) recordTurn(ctx context.Context, tables storage.Tables, by core.Actor, claim core.Domain) (core.Project, error) {
	project, err := s.elect(ctx, tables, claim.ProjectID)
	if err != nil {
		return core.Project{}, err
	}
	action := core.AuditDomainFailed
	if claim.Holds() {
		action = core.AuditDomainVerified
	}
	return project, s.Audit.Record(ctx, tables, by, project.WorkspaceID, action, targetOf(claim, project))
}
