package buildworker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/conformance"
)

// workersOf lists the workers of a process that meet all conditions.
func workersOf(t testing.TB, parent int, conditions ...func(pid int) bool) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
next:
	for _, stat := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		fields := statOf(pid)
		if len(fields) < 13 || fields[0] == "Z" || fields[1] != strconv.Itoa(parent) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(stat), "cmdline"))
		if !bytes.Contains(line, []byte(buildworker.Command)) {
			continue
		}
		for _, holds := range conditions {
			if !holds(pid) {
				continue next
			}
		}
		found = append(found, pid)
	}
	return found
}

func workers(t testing.TB, conditions ...func(pid int) bool) []int {
	t.Helper()
	return workersOf(t, os.Getpid(), conditions...)
}

// statOf returns the kernel's fields of a process, from its state on, nil if it is gone.
func statOf(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// cpuTicks is the processor time of a process, in hundredths of a second.
func cpuTicks(t testing.TB, pid int) int {
	t.Helper()
	fields := statOf(pid)
	if len(fields) < 13 {
		return 0
	}
	user, err := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return user + system
}

// eventually asks until there is an answer that is not empty.
func eventually[T any](t testing.TB, what string, ask func() []T) (found []T) {
	t.Helper()
	conformance.Eventually(t, what, func() bool {
		found = ask()
		return len(found) > 0
	})
	return found
}

func wantGone(t testing.TB, pid int) {
	t.Helper()
	eventually(t, "the worker gone", func() []bool {
		if fields := statOf(pid); len(fields) == 0 || fields[0] == "Z" {
			return []bool{true}
		}
		return nil
	})
}

func kill(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// gate is a project whose script is only readable once the gate opens.
type gate struct {
	fstest.MapFS
	reached chan struct{}
	open    chan struct{}
}

func newGate() gate {
	return gate{project("console.log(1)", nil), make(chan struct{}), make(chan struct{})}
}

func (g gate) ReadFile(name string) ([]byte, error) {
	if name == "src/main.tsx" {
		g.reached <- struct{}{}
		<-g.open
	}
	return g.MapFS.ReadFile(name)
}

// Stat makes the script too large to be sent before it is asked for.
func (g gate) Stat(name string) (fs.FileInfo, error) {
	found, err := g.MapFS.Stat(name)
	return largeInfo{found}, err
}

// ReadDir implements fs.ReadDirFS.
func (g gate) ReadDir(name string) ([]fs.DirEntry, error) {
	found, err := g.MapFS.ReadDir(name)
	for i := range found {
		found[i] = largeEntry{found[i]}
	}
	return found, err
}

type largeInfo struct{ fs.FileInfo }

func (i largeInfo) Size() int64 { return 1 << 20 }

type largeEntry struct{ fs.DirEntry }

func (e largeEntry) Info() (fs.FileInfo, error) {
	found, err := e.DirEntry.Info()
	return largeInfo{found}, err
}

func TestAWorkerThatIsKilledInTheMiddleIsADiagnostic(t *testing.T) {
	pool, files := open(t), newGate()
	type end struct {
		made build.Result
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		made, err := pool.Build(t.Context(), build.Request{Mode: build.ModePreview, Files: files})
		ended <- end{made, err}
	}()
	<-files.reached
	kill(t, workers(t)[0])
	close(files.open)
	if got := <-ended; got.err != nil || len(got.made.Diagnostics) != 1 || !strings.Contains(got.made.Diagnostics[0].Message, tooMuch) {
		t.Errorf("got %+v, %v, want a diagnostic", got.made.Diagnostics, got.err)
	}
	wantSound(t, pool)
}

func TestAWorkerThatIsKilledWhileItRestsIsReplaced(t *testing.T) {
	pool := open(t)
	for range 20 {
		wantSound(t, pool)
		kill(t, workers(t)[0])
	}
	wantSound(t, pool)
}

func TestOneWorkerRestsLonger(t *testing.T) {
	pool := open(t, func(c *buildworker.Config) { c.Workers, c.Rest, c.LastRest = 3, time.Millisecond, time.Hour })
	if found := workers(t); len(found) > 0 {
		t.Errorf("got workers %d before the first build, want none", found)
	}
	buildAtOnce(t, pool)
	eventually(t, "one worker left", func() []int {
		if found := workers(t); len(found) == 1 {
			return found
		}
		return nil
	})
	wantSound(t, pool)
}

// buildAtOnce makes a pool start all its workers.
func buildAtOnce(t *testing.T, pool *buildworker.Pool) {
	t.Helper()
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() { wantSound(t, pool) })
	}
	group.Wait()
}

func TestThereIsNoWorkerWithoutWork(t *testing.T) {
	pool := open(t, func(c *buildworker.Config) { c.Workers, c.Rest, c.LastRest = 3, time.Millisecond, time.Millisecond })
	buildAtOnce(t, pool)
	eventually(t, "no worker left", func() []bool {
		if len(workers(t)) == 0 {
			return []bool{true}
		}
		return nil
	})
	wantSound(t, pool)
}

func TestThereAreNoMoreWorkersThanAllowed(t *testing.T) {
	pool := open(t, func(c *buildworker.Config) { c.Workers = 2 })
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			marker := fmt.Sprintf("marker-%d-end", i)
			made, err := pool.Build(t.Context(), build.Request{Mode: build.ModeSite, Files: project("console.log('"+marker+"')", nil)})
			all := ""
			for _, file := range made.Files {
				all += string(file.Content)
			}
			if err != nil || !strings.Contains(all, marker) || strings.Count(all, "marker-") != 1 {
				t.Errorf("got %.300s, %v, want the page of build %d", all, err, i)
			}
			if found := workers(t); len(found) > 2 {
				t.Errorf("got workers %d, want 2 at most", found)
			}
		})
	}
	group.Wait()
}

func TestAWorkerSeesNothingOfTheService(t *testing.T) {
	t.Setenv("JWT_SECRET", "leaked-secret")
	kept := filepath.Join(t.TempDir(), "kept")
	descriptor, err := syscall.Open(kept, syscall.O_CREAT|syscall.O_RDWR, 0o600) // inherited, unlike what Go opens
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(descriptor)
	pool := open(t)
	wantSound(t, pool)
	worker := workers(t)[0]
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", worker))
	if want := fmt.Sprintf("GOTRACEBACK=none\x00GOMAXPROCS=%d\x00", runtime.GOMAXPROCS(0)); err != nil || string(environment) != want {
		t.Errorf("got the environment %q, %v, want %q", environment, err, want)
	}
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", worker))
	if err != nil || len(links) == 0 {
		t.Fatal(links, err)
	}
	for _, link := range links {
		switch target, _ := os.Readlink(link); {
		case strings.HasPrefix(target, "socket:"), strings.HasPrefix(target, "pipe:"), strings.HasPrefix(target, "anon_inode:"), target == "/dev/null":
		case strings.HasPrefix(target, "/sys/"), strings.HasPrefix(target, "/proc/"): // the runtime's own
		default:
			t.Errorf("got %s open in the worker, want nothing of the service", target)
		}
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", worker))
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), "Max data size 1073741824 1073741824 bytes Max stack size") {
		t.Errorf("got %s, %v, want a bound of memory", limits, err)
	}
}

func TestAClosedPoolIsUnavailable(t *testing.T) {
	pool, files := open(t), newGate()
	ended := make(chan error, 1)
	go func() {
		_, err := pool.Build(t.Context(), build.Request{Mode: build.ModePreview, Files: files})
		ended <- err
	}()
	<-files.reached
	pool.Close()
	close(files.open)
	if err := <-ended; !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v from a build that was under way, want code %s", err, core.CodeUnavailable)
	}
	if _, err := pool.Syntax(t.Context(), "a.ts", nil); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v from a later check, want code %s", err, core.CodeUnavailable)
	}
	if found := workers(t); len(found) > 0 {
		t.Errorf("got workers %d, want none", found)
	}
}

// TestNoWorkerOutlivesTheService kills a service whose worker is working.
func TestNoWorkerOutlivesTheService(t *testing.T) {
	line := command(t)
	service := exec.CommandContext(t.Context(), line[0], append([]string{"service"}, line...)...)
	service.Stderr = os.Stderr
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = service.Wait() }()
	busy := eventually(t, "a worker at work", func() []int {
		return workersOf(t, service.Process.Pid, func(pid int) bool { return cpuTicks(t, pid) > 20 })
	})
	kill(t, service.Process.Pid)
	wantGone(t, busy[0])
}

// serveForEver is a service whose worker is working.
func serveForEver(line []string) {
	pool := buildworker.New(buildworker.Config{Command: line, Writable: line[2:], Log: slog.New(slog.DiscardHandler)})
	_, err := pool.Syntax(context.Background(), "a.js", []byte(poisons()["200,000 commas"]))
	fmt.Fprintln(os.Stderr, "the work has an end:", err)
}
