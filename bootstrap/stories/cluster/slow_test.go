package cluster

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
)

// System calls that wait for a disk: syncs, look-ups and changes of names. Reads and
// writes end in memory.
const (
	syncs     = "fsync,fdatasync"
	diskCalls = syncs + ",openat,newfstatat,renameat,renameat2,unlinkat,mkdirat,linkat"
)

// slowDisk delays system calls of a process and its children until fast is called. fast
// expects that at least one was delayed.
func slowDisk(t *testing.T, at *process.Service, calls string, delay time.Duration) (fast func()) {
	t.Helper()
	end := delayDisk(t, at, calls, delay)
	return func() {
		t.Helper()
		if seen := end(); !strings.Contains(seen, "(") {
			t.Fatalf("got %q, want calls that took longer", seen)
		}
	}
}

// delayDisk is slowDisk for calls that may still be running at the end; it returns the
// finished ones.
func delayDisk(t *testing.T, at *process.Service, calls string, delay time.Duration) (end func() string) {
	t.Helper()
	seen := filepath.Join(t.TempDir(), "calls")
	tracer := exec.Command("strace", "-f", "-e", "signal=none", "-p", fmt.Sprint(at.PID()), "-o", seen,
		"-e", "trace="+calls, "-e", fmt.Sprintf("inject=%s:delay_enter=%d", calls, delay.Microseconds()))
	said, err := tracer.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tracer.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	if !lines.Scan() || !strings.Contains(lines.Text(), " attached") {
		_ = tracer.Process.Kill()
		t.Fatalf("strace says %q, %v, want it at the process", lines.Text(), tracer.Wait())
	}
	go func() {
		for lines.Scan() {
			continue
		}
	}()
	return func() string {
		t.Helper()
		_ = tracer.Process.Signal(syscall.SIGINT)
		_ = tracer.Wait()
		text, err := os.ReadFile(seen)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}
