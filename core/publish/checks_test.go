package publish_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/publish"
)

// player is a publish.Checks.
type player struct {
	failures []core.CheckFailure
	err      error
	played   int
	// endless says that they are played until there is no time left.
	endless bool
}

func (p *player) Failures(ctx context.Context, _ core.ID) ([]core.CheckFailure, error) {
	p.played++
	if p.endless {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return p.failures, p.err
}

// checked returns a service that plays checks.
func (s *studio) checked(p *player) *publish.Service {
	log, gate := slog.New(slog.DiscardHandler), access.NewGate(s.store)
	made := publish.New(publish.Deps{
		Store: s.store, Gate: gate, Audit: audit.New(audit.Deps{Store: s.store, Gate: gate, Now: time.Now, Log: log}), Bus: s.bus, Committer: s.pipeline.Committer, History: s.pipeline.History, Sites: s.sites,
		Address: address, Picture: func(core.ID) {}, Now: time.Now, Log: log, Checks: p,
		Backends: backends.New(backends.Deps{Store: s.store, Gate: gate, Files: s.pipeline, Engine: memorybackend.New(memorybackend.Config{}), Now: time.Now, Log: log}),
		Maker:    builds.NewMaker(builds.Deps{Sources: s.pipeline, Environment: s.environment, Resolver: memory.NewPackages(), Builder: memory.NewBuilder(), Tools: s.tools}),
	})
	s.t.Cleanup(made.Close)
	return made
}

func TestAFailingCheckRefusesAPublishUnlessItIsIgnored(t *testing.T) {
	s := newStudio(t)
	p := &player{failures: []core.CheckFailure{{Name: "add", Title: "Adding", Step: 2, Message: "there is no button"}}}
	service := s.checked(p)
	_, err := service.Publish(t.Context(), s.owner, s.project, publish.Request{})
	var refused *core.Error
	if !errors.As(err, &refused) || refused.Code != core.CodeChecksFailed || len(refused.Checks) != 1 || refused.Checks[0] != p.failures[0] {
		t.Fatalf("got %v, want %s with the check", err, core.CodeChecksFailed)
	}
	if _, err := service.Site(t.Context(), "shop"); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want no site", err)
	}
	if _, err := service.Publish(t.Context(), s.owner, s.project, publish.Request{IgnoreChecks: true}); err != nil || p.played != 1 {
		t.Errorf("got %v after %d plays, want a site without another play", err, p.played)
	}
}

func TestChecksWithoutEndRefuseAPublish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t)
		_, err := s.checked(&player{endless: true}).Publish(t.Context(), s.owner, s.project, publish.Request{})
		if !core.IsCode(err, core.CodeUnavailable) || !strings.Contains(err.Error(), "ignoreChecks") {
			t.Errorf("got %v, want %s and what to do", err, core.CodeUnavailable)
		}
	})
}

func TestChecksThatCannotBePlayedRefuseNoPublish(t *testing.T) {
	for name, p := range map[string]*player{
		"passed":          {},
		"without browser": {err: core.Errorf(core.CodeSandboxUnavailable, "no browser")},
		"broken browser":  {err: core.Errorf(core.CodeUnavailable, "the browser failed")},
	} {
		s := newStudio(t)
		if _, err := s.checked(p).Publish(t.Context(), s.owner, s.project, publish.Request{}); err != nil || p.played != 1 {
			t.Errorf("%s: got %v after %d plays, want a site", name, err, p.played)
		}
	}
}
