package bwrap_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// inside counts the processes that see a project's files.
func inside(project core.ID) int {
	tables, _ := filepath.Glob("/proc/[0-9]*/mountinfo")
	found := 0
	for _, table := range tables {
		if content, err := os.ReadFile(table); err == nil && strings.Contains(string(content), string(project)) {
			found++
		}
	}
	return found
}

// awaitEmpty waits until no process sees a project's files.
func awaitEmpty(t *testing.T, project core.ID) {
	t.Helper()
	if !conformance.Becomes(func() bool { return inside(project) == 0 }) {
		t.Fatalf("got %d processes that nobody looks after, want none", inside(project))
	}
}

// haveNone fails when processes see a project's files, also such as were only about to
// when another command began.
func haveNone(t *testing.T, run func(line string) error, project core.ID) {
	t.Helper()
	if err := run("true"); err != nil {
		t.Fatal(err)
	}
	if left := inside(project); left > 0 {
		t.Errorf("got %d processes that nobody looks after, want none", left)
	}
}

// moments are points in time from before bubblewrap runs until after the command does.
func moments() []time.Duration {
	var all []time.Duration
	for at := time.Duration(0); at < 40*time.Millisecond; at += time.Millisecond {
		all = append(all, at)
	}
	return all
}

func TestACommandThatIsCancelledWhileItStartsLeavesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	project, runner := p.project(), p.runner(bwrap.ModeBwrap, nil)
	if err := runner.Available(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, after := range moments() {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		if got, err := runner.Run(ctx, project, sandbox.Command{Line: "sleep 600"}); err == nil {
			t.Errorf("after %s: got %+v, want it cancelled", after, got)
		}
		cancel()
	}
	haveNone(t, func(line string) error {
		_, err := runner.Run(t.Context(), project, sandbox.Command{Line: line})
		return err
	}, project)
}

func TestAServerThatIsStoppedWhileItStartsLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	for _, after := range moments() {
		server, err := w.tools.Serve(t.Context(), w.project, toolchain.Task{Line: "sleep 600"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(after)
		server.Stop()
	}
	haveNone(t, func(line string) error {
		_, err := w.tools.Install(t.Context(), w.project, line, toolchain.Task{Line: line})
		return err
	}, w.project)
}

// keepRunningCommand is the argument with which the tests' own program is a service
// that runs one command after another, in the project below the root that follow.
const keepRunningCommand = "keep-running-commands"

// longLine can be found among the arguments of processes.
func longLine(project core.ID) string { return "sleep 600 # " + string(project) }

// killRemains kills leftover bubblewrap processes that wait for their outer process
// forever.
func killRemains(project core.ID) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(line)))
		if content, err := os.ReadFile(line); err == nil && strings.Contains(string(content), longLine(project)) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func keepRunning(root string, project core.ID) {
	runner := bwrap.New(bwrap.Config{Root: root, Mode: bwrap.ModeBwrap, Log: slog.New(slog.DiscardHandler)})
	if err := runner.Available(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ready")
	_, _ = runner.Run(context.Background(), project, sandbox.Command{Line: longLine(project)})
}

func TestAServiceThatIsKilledWhileACommandStartsLeavesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	project := p.project()
	defer killRemains(project)
	for _, after := range moments() {
		service := exec.Command(helper(t), keepRunningCommand, p.root, string(project))
		said, err := service.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := service.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(said).ReadString('\n')
		if err != nil || line != "ready\n" {
			t.Fatalf("got %q, %v, want a service that is ready", line, err)
		}
		time.Sleep(after)
		_ = service.Process.Kill()
		_ = service.Wait()
	}
	awaitEmpty(t, project)
	runner := p.runner(bwrap.ModeBwrap, nil)
	haveNone(t, func(line string) error {
		_, err := runner.Run(t.Context(), project, sandbox.Command{Line: line})
		return err
	}, project)
}
