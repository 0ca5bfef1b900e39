package operation_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/bootstrap/metrics"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/toolchain"
	typechecks "github.com/atelierhq/atelier/ports/typecheck"
)

// underWay is how many sandboxes of a kind are counted, -1 when the kind is not shown.
func underWay(tally *telemetry.Tally, kind string) float64 {
	for _, sample := range tally.Samples() {
		if sample.Metric == telemetry.Sandboxes && sample.Word == kind {
			return sample.Value
		}
	}
	return -1
}

// hookSandbox calls during whatever it is asked to do.
type hookSandbox struct {
	sandbox.Runner
	toolchain.Toolchain
	typechecks.Checker
	during func()
	server *endingServer
}

func (w hookSandbox) Run(context.Context, core.ID, sandbox.Command) (sandbox.Outcome, error) {
	w.during()
	return sandbox.Outcome{}, nil
}

func (w hookSandbox) Install(context.Context, core.ID, string, toolchain.Task) (toolchain.Outcome, error) {
	w.during()
	return toolchain.Outcome{}, nil
}

func (w hookSandbox) Build(context.Context, core.ID, toolchain.BuildTask) (toolchain.BuildOutput, error) {
	w.during()
	return toolchain.BuildOutput{}, nil
}

func (w hookSandbox) Check(context.Context, core.ID, typechecks.Task) (typechecks.Report, error) {
	w.during()
	return typechecks.Report{}, nil
}

func (w hookSandbox) Serve(context.Context, core.ID, toolchain.Task) (toolchain.Server, error) {
	w.during()
	if w.server == nil {
		return nil, core.Errorf(core.CodeUnavailable, "no disk")
	}
	return w.server, nil
}

// endingServer is one that ends.
type endingServer struct {
	toolchain.Server
	done chan struct{}
}

func (s *endingServer) Done() <-chan struct{} { return s.done }

// only are the parts of watched that one port has.
type (
	onlyRunner  struct{ hookSandbox }
	onlyTools   struct{ hookSandbox }
	onlyChecker struct{ hookSandbox }
)

func (onlyRunner) Available(context.Context) error  { return nil }
func (onlyTools) Available(context.Context) error   { return nil }
func (onlyChecker) Available(context.Context) error { return nil }

func TestSandboxesAreCountedByKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, tally := t.Context(), telemetry.New()
		during := map[string]float64{}
		kind := ""
		w := hookSandbox{during: func() { during[kind] = underWay(tally, kind) }}
		served := w
		served.server = &endingServer{done: make(chan struct{})}
		tools, servers := metrics.ProjectTools(onlyTools{w}, tally), metrics.ProjectTools(onlyTools{served}, tally)
		commands, checks := metrics.AgentCommands(onlyRunner{w}, tally), metrics.TypeChecks(onlyChecker{w}, tally)
		for name, do := range map[string]func() error{
			"command":   func() error { _, err := commands.Run(ctx, "p", sandbox.Command{}); return err },
			"install":   func() error { _, err := tools.Install(ctx, "p", "", toolchain.Task{}); return err },
			"build":     func() error { _, err := tools.Build(ctx, "p", toolchain.BuildTask{}); return err },
			"typecheck": func() error { _, err := checks.Check(ctx, "p", typechecks.Task{}); return err },
		} {
			kind = name
			if before := underWay(tally, kind); before != 0 {
				t.Errorf("%s: got %v before the first, want 0", kind, before)
			}
			if err := do(); err != nil || during[kind] != 1 || underWay(tally, kind) != 0 {
				t.Errorf("%s: got %v during it and %v after (%v), want 1 and 0", kind, during[kind], underWay(tally, kind), err)
			}
		}
		kind = "server"
		if _, err := tools.Serve(ctx, "p", toolchain.Task{}); err == nil || underWay(tally, kind) != 0 {
			t.Errorf("got %v counted of a server that did not start, want none", underWay(tally, kind))
		}
		if _, err := servers.Serve(ctx, "p", toolchain.Task{}); err != nil || underWay(tally, kind) != 1 {
			t.Errorf("got %v, %v, want the server counted", underWay(tally, kind), err)
		}
		close(served.server.done)
		synctest.Wait()
		if got := underWay(tally, kind); got != 0 {
			t.Errorf("got %v counted of a server that has ended, want none", got)
		}
	})
}
