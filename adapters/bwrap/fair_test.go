package bwrap_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/sandbox"
)

func TestTheCommandsOfOneTenantKeepNoOtherWaiting(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	runner := p.runner(bwrap.ModeBwrap, func(c *bwrap.Config) { c.Parallel = 1 })
	theirs, mine := p.project(), p.project()
	greedy, cancel := context.WithCancel(fair.WithTenant(t.Context(), "greedy"))
	const calls = 3
	ended := make(chan error, calls)
	for range calls {
		go func() {
			_, err := runner.Run(greedy, theirs, sandbox.Command{Line: "touch begun; sleep 1000"})
			ended <- err
		}()
	}
	conformance.Eventually(t, "the first command", func() bool {
		_, err := os.Stat(filepath.Join(p.dir(theirs), "begun"))
		return err == nil
	})
	outcome, err := runner.Run(fair.WithTenant(t.Context(), "other"), mine, sandbox.Command{Line: "echo served"})
	if err != nil || outcome.Output != "served\n" {
		t.Errorf("got %+v and %v, want it served", outcome, err)
	}
	if len(ended) > 0 {
		t.Errorf("got %v from a command that sleeps, want all of them under way or waiting", <-ended)
	}
	cancel()
	for range calls {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want it cancelled", err)
		}
	}
}
