package memory_test

import (
	"io"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/sandbox/sandboxtest"
	"github.com/atelierhq/atelier/ports/worktree"
)

// sandboxBench is a scripted sandbox over two projects in memory.
func sandboxBench(t *testing.T) sandboxtest.Harness {
	t.Helper()
	trees := memory.NewTrees()
	runner := memory.NewSandbox(trees)
	bench := sandboxtest.Harness{Runner: runner, Project: core.NewID(), Other: core.NewID()}
	for _, project := range []core.ID{bench.Project, bench.Other} {
		if err := trees.Create(t.Context(), project); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := trees.Open(t.Context(), bench.Project)
	if err != nil {
		t.Fatal(err)
	}
	bench.Read = func(path string) (string, bool) { return readTree(t, tree, path) }
	bench.Write = func(path, content string) {
		change := core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}
		if result := tree.Apply(t.Context(), []core.FileChange{change})[0]; result.Err != nil {
			t.Fatal(result.Err)
		}
	}
	bench.Script = func(line string, does sandboxtest.Effect) {
		runner.Script(line, memory.SandboxAnswer{Output: does.Output, ExitCode: does.ExitCode, Endless: does.Endless, Files: does.Files, Asks: does.Asks})
	}
	bench.Offline = func() sandbox.Runner { return runner.SetOffline(true) }
	bench.Broken = func() sandbox.Runner { return runner.SetMissing(true) }
	return bench
}

func readTree(t *testing.T, tree worktree.Tree, path string) (string, bool) {
	t.Helper()
	file, err := tree.Open(t.Context(), core.MustPath(path))
	if core.IsCode(err, core.CodeNotFound) {
		return "", false
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content), true
}

func TestSandbox(t *testing.T) { sandboxtest.Run(t, sandboxBench) }

func TestASandboxDeletesFilesAndEndsAtLimitsAsScripted(t *testing.T) {
	bench := sandboxBench(t)
	bench.Write("a.txt", "x")
	runner := bench.Runner.(*memory.Sandbox)
	runner.Script("rm a.txt", memory.SandboxAnswer{Deleted: []string{"a.txt"}, Ended: sandbox.LimitMemory})
	got, err := runner.Run(t.Context(), bench.Project, sandbox.Command{Line: "rm a.txt"})
	if err != nil || got.Ended != sandbox.LimitMemory {
		t.Fatalf("got %+v, %v, want the scripted limit", got, err)
	}
	if _, found := bench.Read("a.txt"); found {
		t.Error("got the file, want it deleted")
	}
	if got := runner.Lines(); len(got) != 1 || got[0] != "rm a.txt" {
		t.Errorf("got the lines %q, want the one that ran", got)
	}
}
