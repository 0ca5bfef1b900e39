// Package health tells the admins of the installation what works and what needs them, as atelier doctor tells
// operators. A probe of a load balancer asks /readyz instead.
package health

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
)

// lookTime bounds one check. All are made at the same time.
const lookTime = 20 * time.Second

// Check examines one part of the installation.
type Check struct {
	// Name identifies the part: lower-case words.
	Name string
	// Look returns what it found, or why an admin must look.
	Look func(ctx context.Context) (core.Phrase, error)
}

// Finding is the result of a check.
type Finding struct {
	Name string
	OK   bool
	Text core.Phrase
}

// Checks are all of an installation.
type Checks []Check

// Service looks when an admin asks. Many goroutines may use it.
type Service struct {
	gate   *access.Gate
	checks Checks
	log    *slog.Logger
}

// New returns the service.
func New(gate *access.Gate, checks Checks, log *slog.Logger) *Service {
	return &Service{gate, checks, log}
}

// Look makes all checks for an admin, and returns their findings in order.
func (s *Service) Look(ctx context.Context, by core.Actor) ([]Finding, error) {
	if _, err := s.gate.Instance(ctx, by, core.ActionInstanceHealth); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	found := make([]Finding, len(s.checks))
	var looking sync.WaitGroup
	for i, check := range s.checks {
		looking.Go(func() { found[i] = s.look(ctx, check) })
	}
	looking.Wait()
	return found, nil
}

// look makes one check. What has no code for people is for the log alone.
func (s *Service) look(ctx context.Context, check Check) Finding {
	text, err := check.Look(ctx)
	var known *core.Error
	switch {
	case err == nil:
		return Finding{check.Name, true, text}
	case errors.As(err, &known):
		text = known.Phrase()
	case ctx.Err() != nil:
		text = core.Phrasef("it did not answer in time")
	default:
		text = core.Phrasef("it failed; the log of the service says why")
	}
	s.log.Warn("a check of the installation failed", "check", check.Name, "error", err)
	return Finding{check.Name, false, text}
}
