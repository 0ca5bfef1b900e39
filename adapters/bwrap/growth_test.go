package bwrap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// TestAProjectGrowsNoFurtherThanItMay fills a project by commands, which then can only empty it.
func TestAProjectGrowsNoFurtherThanItMay(t *testing.T) {
	for _, mode := range []bwrap.Mode{bwrap.ModeBwrap, bwrap.ModeUnsafe} {
		p := newPlace(t)
		project := p.project()
		runner := p.runner(mode, func(c *bwrap.Config) { c.ProjectBytes, c.Limits.DiskBytes = 8<<20, 1<<40 })
		run := func(line string) sandbox.Outcome {
			t.Helper()
			got, err := runner.Run(t.Context(), project, sandbox.Command{Line: line})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if got := run("for i in 1 2 3; do head -c 3000000 /dev/urandom >f$i; done; sleep 60"); got.Ended != sandbox.LimitDisk || !strings.Contains(got.Output, "8388608 bytes") {
			t.Errorf("%s: got %+v, want it ended, and the bound named", mode, got)
		}
		got := run("head -c 1000 /dev/urandom >more; rm f1; ls")
		if got.Ended != "" || !strings.Contains(got.Output, "delete some") {
			t.Errorf("%s: got %+v, want a command that runs and is told why it cannot write", mode, got)
		}
		if info, err := os.Stat(filepath.Join(p.dir(project), "more")); err == nil && info.Size() > 0 {
			t.Errorf("%s: got %d bytes more in a project that is full", mode, info.Size())
		}
		if got := run("echo room again >more && cat more"); got.Ended != "" || got.Output != "room again\n" {
			t.Errorf("%s: got %+v, want room after a file was removed", mode, got)
		}
	}
}

func TestToolsDoNotRunInAProjectThatIsFull(t *testing.T) {
	p := newPlace(t)
	project := p.project()
	if err := os.WriteFile(filepath.Join(p.dir(project), "large"), make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	tools := p.tools(bwrap.ModeBwrap, func(c *bwrap.Config) { c.ProjectBytes = 1 << 20 })
	_, err := tools.Serve(t.Context(), project, toolchain.Task{Line: "true"})
	if !core.IsCode(err, core.CodePayloadTooLarge) || !strings.Contains(err.Error(), "MAX_PROJECT_BYTES") {
		t.Errorf("got %v, want %s", err, core.CodePayloadTooLarge)
	}
}
