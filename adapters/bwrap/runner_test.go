package bwrap_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/sandbox/sandboxtest"
)

// tight are limits that tests reach quickly.
var tight = bwrap.Limits{Processes: 64, MemoryBytes: 128 << 20, FileBytes: 8 << 20, DiskBytes: 96 << 20, OutputBytes: 4 << 20, ScratchBytes: 24 << 20}

// place is a folder with projects.
type place struct {
	t    *testing.T
	root string
	log  bytes.Buffer
}

func newPlace(t *testing.T) *place { return &place{t: t, root: t.TempDir()} }

func (p *place) runner(mode bwrap.Mode, change func(*bwrap.Config)) *bwrap.Runner {
	config := bwrap.Config{Root: p.root, Mode: mode, Limits: tight, Helper: helper(p.t), Guard: memory.NewGuard(), Log: slog.New(slog.NewTextHandler(&p.log, nil))}
	if change != nil {
		change(&config)
	}
	return bwrap.New(config)
}

// project makes a project with a repository.
func (p *place) project() core.ID {
	p.t.Helper()
	project := core.NewID()
	git := filepath.Join(p.dir(project), ".git")
	if err := errors.Join(os.MkdirAll(git, 0o755), os.WriteFile(filepath.Join(git, "config"), []byte("[core]\n\tbare = false\n"), 0o644)); err != nil {
		p.t.Fatal(err)
	}
	return project
}

func (p *place) dir(project core.ID) string { return filepath.Join(p.root, string(project)) }

func (p *place) bench(mode bwrap.Mode) sandboxtest.Harness {
	bench := sandboxtest.Harness{Runner: p.runner(mode, nil), Project: p.project(), Other: p.project()}
	bench.Read = func(path string) (string, bool) {
		content, err := os.ReadFile(filepath.Join(p.dir(bench.Project), path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.t.Error(err)
		}
		return string(content), err == nil
	}
	bench.Write = func(path, content string) {
		file := filepath.Join(p.dir(bench.Project), path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
			p.t.Fatal(err)
		}
	}
	bench.Script = func(string, sandboxtest.Effect) {}
	bench.Offline = func() sandbox.Runner { return p.runner(mode, func(c *bwrap.Config) { c.Helper = "" }) }
	bench.Broken = func() sandbox.Runner {
		return p.runner(bwrap.ModeAuto, func(c *bwrap.Config) { c.Program = "/no/such/bwrap" })
	}
	return bench
}

func TestRunner(t *testing.T) {
	t.Parallel()
	sandboxtest.Run(t, func(t *testing.T) sandboxtest.Harness { return newPlace(t).bench(bwrap.ModeBwrap) })
}

func TestRunnerWithoutIsolation(t *testing.T) {
	t.Parallel()
	sandboxtest.Run(t, func(t *testing.T) sandboxtest.Harness { return newPlace(t).bench(bwrap.ModeUnsafe) })
}

func TestIsolation(t *testing.T) {
	sandboxtest.RunIsolation(t, func(t *testing.T) sandboxtest.Cell {
		p := newPlace(t)
		return sandboxtest.Cell{
			Harness: p.bench(bwrap.ModeBwrap), Dir: p.dir, Unconfined: p.runner(bwrap.ModeUnsafe, nil),
			FileBytes: tight.FileBytes, DiskBytes: tight.DiskBytes, MemoryBytes: tight.MemoryBytes, ScratchBytes: tight.ScratchBytes,
		}
	})
}

// failing makes a bubblewrap that does nothing but fail, with a marker when it is
// started.
func failing(t *testing.T, script string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		mode   bwrap.Mode
		change func(*bwrap.Config)
		want   string
	}{
		"no bubblewrap":         {bwrap.ModeAuto, func(c *bwrap.Config) { c.Program = "/no/such/bwrap" }, "apt install bubblewrap"},
		"one that fails":        {bwrap.ModeBwrap, func(c *bwrap.Config) { c.Program = failing(t, "echo no namespaces >&2; exit 1") }, "allow user namespaces"},
		"one that lets through": {bwrap.ModeBwrap, func(c *bwrap.Config) { c.Program = failing(t, "exit 0") }, "does not work"},
		"switched off":          {bwrap.ModeOff, nil, "SANDBOX=off"},
		"data among programs":   {bwrap.ModeAuto, func(c *bwrap.Config) { c.Hidden = []string{"/usr/local/atelier/data"} }, "/usr/local/atelier/data"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			runner := p.runner(c.mode, c.change)
			_, err := runner.Run(t.Context(), p.project(), sandbox.Command{Line: "true"})
			for _, err := range []error{err, runner.Available(t.Context())} {
				var known *core.Error
				if !errors.As(err, &known) || known.Code != core.CodeSandboxUnavailable || !strings.Contains(known.Message, c.want) {
					t.Errorf("got %v, want sandbox_unavailable with %q", err, c.want)
				}
			}
		})
	}
}

func TestTheMachineIsProbedOnce(t *testing.T) {
	p := newPlace(t)
	marker := filepath.Join(t.TempDir(), "started")
	runner := p.runner(bwrap.ModeAuto, func(c *bwrap.Config) { c.Program = failing(t, "echo x >>"+marker+"; exit 1") })
	for range 5 {
		if runner.Available(t.Context()) == nil {
			t.Fatal("got no error, want one")
		}
	}
	content, err := os.ReadFile(marker)
	if got := strings.Count(string(content), "x"); err != nil || got != 2 {
		t.Errorf("got %d starts, %v, want one with the newest flag and one without", got, err)
	}
}

func TestAVersionWithoutTheNewestFlagIsUsedAllTheSame(t *testing.T) {
	p := newPlace(t)
	old := failing(t, `for a; do [ "$a" = --disable-userns ] && exit 1; done; exec bwrap "$@"`)
	runner := p.runner(bwrap.ModeBwrap, func(c *bwrap.Config) { c.Program = old })
	got, err := runner.Run(t.Context(), p.project(), sandbox.Command{Line: "echo fine; unshare -U true && echo nested"})
	if err != nil || got.Output == "" || strings.Contains(got.Output, "nested") || !strings.Contains(got.Output, "fine") {
		t.Errorf("got %+v, %v, want it to run without nested namespaces", got, err)
	}
}

func TestUnsafeCommandsAreLoudAndGetNoSecrets(t *testing.T) {
	p := newPlace(t)
	t.Setenv("ATELIER_CANARY", "hunter2")
	bench := p.bench(bwrap.ModeUnsafe)
	for i := range 2 {
		got, err := bench.Runner.Run(t.Context(), bench.Project, sandbox.Command{Line: "env; kill -9 $$"})
		if err != nil || got.ExitCode != 137 || strings.Contains(got.Output, "hunter2") {
			t.Errorf("got %+v, %v, want exit code 137 and no secret", got, err)
		}
		if warned := strings.Count(p.log.String(), "WITHOUT ISOLATION"); warned != i+1 || !strings.Contains(p.log.String(), "level=WARN") {
			t.Errorf("got %d warnings, want one for each command", warned)
		}
	}
}

// TestPackageManagersKnowThatThereIsNoNetwork, so that they fail at once instead of
// trying for minutes.
func TestPackageManagersKnowThatThereIsNoNetwork(t *testing.T) {
	p := newPlace(t)
	got, err := p.runner(bwrap.ModeBwrap, nil).Run(t.Context(), p.project(), sandbox.Command{Line: `echo "$npm_config_offline $npm_config_fetch_retries $YARN_ENABLE_NETWORK"`})
	if err != nil || got.Output != "true 0 0\n" {
		t.Errorf("got %+v, %v, want the variables that tell them", got, err)
	}
}

func TestAProjectWithoutARepositoryRunsNothing(t *testing.T) {
	for name, spoil := range map[string]func(git string) error{
		"gone": os.RemoveAll,
		"a file": func(git string) error {
			return errors.Join(os.RemoveAll(git), os.WriteFile(git, []byte("gitdir: /x"), 0o644))
		},
		"a link": func(git string) error { return errors.Join(os.RemoveAll(git), os.Symlink(t.TempDir(), git)) },
	} {
		p := newPlace(t)
		project := p.project()
		if err := spoil(filepath.Join(p.dir(project), ".git")); err != nil {
			t.Fatal(err)
		}
		if _, err := p.runner(bwrap.ModeBwrap, nil).Run(t.Context(), project, sandbox.Command{Line: "true"}); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%s: got %v, want unavailable", name, err)
		}
	}
}

func TestADiskThatIsNotThereIsUnavailable(t *testing.T) {
	p := newPlace(t)
	project := p.project()
	runner := p.runner(bwrap.ModeBwrap, nil)
	if err := os.Rename(p.root, p.root+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := runner.Run(t.Context(), project, sandbox.Command{Line: "true"}); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want unavailable", err)
	}
}

func TestCommandsWaitForASlot(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bench := p.bench(bwrap.ModeBwrap)
	runner := p.runner(bwrap.ModeBwrap, func(c *bwrap.Config) { c.Parallel = 1 })
	done := make(chan error, 1)
	go func() {
		_, err := runner.Run(t.Context(), bench.Project, sandbox.Command{Line: "touch first; while [ ! -e go ]; do sleep 0.05; done; touch ended"})
		done <- err
	}()
	conformance.Eventually(t, "the first command", func() bool { _, found := bench.Read("first"); return found })
	second := make(chan error, 1)
	go func() {
		got, err := runner.Run(t.Context(), bench.Project, sandbox.Command{Line: "ls ended"})
		if err != nil || got.ExitCode != 0 {
			t.Errorf("got %+v, %v, want the second to begin after the first", got, err)
		}
		second <- err
	}()
	// Meanwhile a command that still fits may run.
	if _, err := runner.Run(fair.WithTenant(t.Context(), "other"), bench.Other, sandbox.Command{Line: "true"}); err != nil {
		t.Error(err)
	}
	bench.Write("go", "x")
	if err := errors.Join(<-done, <-second); err != nil {
		t.Error(err)
	}
}

func TestUnsafeCommandsHaveLimitsAllTheSame(t *testing.T) {
	bench := newPlace(t).bench(bwrap.ModeUnsafe)
	got, err := bench.Runner.Run(t.Context(), bench.Project, sandbox.Command{Line: "ulimit -d; ulimit -f; ulimit -c"})
	if want := "131072\n16384\n0\n"; err != nil || got.Output != want {
		t.Errorf("got %+v, %v, want %q", got, err, want)
	}
}

func TestTheLimitThatEndedACommandIsInTheLog(t *testing.T) {
	p := newPlace(t)
	project := p.project()
	for _, mode := range []bwrap.Mode{bwrap.ModeBwrap, bwrap.ModeUnsafe} {
		p.log.Reset()
		outcome, err := p.runner(mode, nil).Run(t.Context(), project, sandbox.Command{Line: "yes"})
		if err != nil || outcome.Ended != sandbox.LimitOutput {
			t.Fatalf("%s: got %+v, %v, want it ended by its output", mode, outcome, err)
		}
		said := p.log.String()
		for _, want := range []string{"level=INFO", "what=command", "project=" + string(project), "limit=" + string(sandbox.LimitOutput)} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: got the log %q, want %s in it", mode, said, want)
			}
		}
		p.log.Reset()
		if _, err := p.runner(mode, nil).Run(t.Context(), project, sandbox.Command{Line: "true"}); err != nil || strings.Contains(p.log.String(), "limit=") {
			t.Errorf("%s: got %v and the log %q, want no limit for a command that ends by itself", mode, err, p.log.String())
		}
	}
}
