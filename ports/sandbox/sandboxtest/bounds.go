package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// maxForks is how many processes the test would start if nobody ended it, and
// forksSeen how many may be there at once before somebody notices.
const (
	maxForks  = 1000
	forksSeen = 900
)

func endsForking(t *testing.T, c Cell) {
	token := string(core.NewID())
	line := fmt.Sprintf("i=0; while [ $i -lt %d ]; do (sleep 30; : %s) >/dev/null 2>&1 & i=$((i+1)); done; wait", maxForks, token)
	counted, stop := make(chan int, 1), make(chan struct{})
	go func() { counted <- mostProcesses(token, stop) }()
	got, err := c.Runner.Run(t.Context(), c.Project, sandbox.Command{Line: line, Time: 15 * time.Second})
	close(stop)
	most := <-counted
	// A shell that the kernel refuses a process gives up by itself.
	refused := got.Ended == "" && got.ExitCode != 0
	if err != nil || got.Ended != sandbox.LimitProcesses && !refused {
		t.Errorf("got %+v, %v, want it ended", got, err)
	}
	if left := processesWith(token); left > 0 {
		t.Errorf("got %d processes left, want none", left)
	}
	if most > forksSeen {
		t.Errorf("got up to %d processes, want at most %d", most, forksSeen)
	}
	if got := c.run(t, "echo fine"); got.Output != "fine\n" {
		t.Errorf("afterwards: got %+v, want commands to work", got)
	}
}

// mostProcesses counts until stop.
func mostProcesses(token string, stop <-chan struct{}) int {
	most := 0
	for {
		select {
		case <-stop:
			return most
		case <-time.After(20 * time.Millisecond):
			most = max(most, processesWith(token))
		}
	}
}

// processesWith counts the processes of this machine that have a word in their
// command line.
func processesWith(word string) int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	found := 0
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil && strings.Contains(string(content), word) {
			found++
		}
	}
	return found
}

func boundsMemory(t *testing.T, c Cell) {
	alone := fmt.Sprintf(`perl -e '$x = "x" x %d; print "got it\n"'`, c.MemoryBytes+1)
	if got := c.run(t, alone); strings.Contains(got.Output, "got it") || got.Ended != "" {
		t.Errorf("one process: got %+v, want no such memory", got)
	}
	together := fmt.Sprintf(`for i in 1 2 3 4 5 6; do perl -e '$x = "x" x %d; sleep 30' & done; wait; echo got it`, c.MemoryBytes/4)
	if got := c.run(t, together); got.Ended != sandbox.LimitMemory {
		t.Errorf("six processes: got %+v, want it ended for its memory", got)
	}
}

func boundsDisk(t *testing.T, c Cell) {
	got := c.run(t, fmt.Sprintf("head -c %d /dev/zero >big", 2*c.FileBytes))
	info, err := os.Stat(filepath.Join(c.Dir(c.Project), "big"))
	if err != nil || info.Size() > c.FileBytes || got.ExitCode == 0 {
		t.Errorf("one file: got %v, %v, exit code %d, want at most %d bytes", info.Size(), err, got.ExitCode, c.FileBytes)
	}
	got = c.run(t, fmt.Sprintf("i=0; while :; do head -c %d /dev/urandom >f$i; i=$((i+1)); done", c.FileBytes))
	if got.Ended != sandbox.LimitDisk {
		t.Errorf("many files: got %+v, want it ended for the disk", got)
	}
}

func boundsScratch(t *testing.T, c Cell) {
	for _, dir := range []string{"/tmp", "/dev/shm"} {
		line := fmt.Sprintf("for i in $(seq 1 %d); do head -c %d /dev/zero >%s/f$i 2>/dev/null || break; done; cat %s/f* | wc -c",
			3*c.ScratchBytes/c.FileBytes, c.FileBytes, dir, dir)
		var written int64
		got := c.run(t, line)
		if _, err := fmt.Sscan(got.Output, &written); err != nil || written > c.ScratchBytes || written < c.FileBytes {
			t.Errorf("%s: got %+v, want between %d and %d bytes", dir, got, c.FileBytes, c.ScratchBytes)
		}
	}
}

func endsOutput(t *testing.T, c Cell) {
	start := time.Now()
	got := c.run(t, "yes endless")
	if got.Ended != sandbox.LimitOutput || len(got.Output) > sandbox.MaxOutputBytes+100 {
		t.Errorf("got the end %q, %d bytes, want it ended for its output", got.Ended, len(got.Output))
	}
	if took := time.Since(start); took > patience {
		t.Errorf("got an end after %s, want one soon", took)
	}
}

// ticker is a line that counts forever in a file, detached from its shell.
const ticker = `setsid sh -c 'i=0; while :; do i=$((i+1)); echo $i >ticks; sleep 0.01; done' >/dev/null 2>&1 </dev/null &`

// wantStill fails the test if a ticker still counts while another command counts to thirty as it did.
func (c Cell) wantStill(t *testing.T) {
	t.Helper()
	before, found := c.Read("ticks")
	if !found {
		t.Fatal("nothing ever counted")
	}
	c.run(t, `i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo $i >peer; sleep 0.01; done`)
	if after, _ := c.Read("ticks"); after != before {
		t.Errorf("got the count from %q to %q, want it still", before, after)
	}
}

func endsBackground(t *testing.T, c Cell) {
	if got := c.run(t, ticker+" while [ ! -s ticks ]; do sleep 0.05; done; echo done"); got.Output != "done\n" || got.ExitCode != 0 {
		t.Fatalf("got %+v, want it to end without waiting", got)
	}
	c.wantStill(t)
}

func endsGrandchildren(t *testing.T, c Cell) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, found := c.Read("ticks"); found {
				time.Sleep(50 * time.Millisecond)
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if _, err := c.Runner.Run(ctx, c.Project, sandbox.Command{Line: ticker + " sleep 60"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	c.wantStill(t)
}
