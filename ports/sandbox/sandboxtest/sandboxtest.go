// Package sandboxtest tests a sandbox.Runner against its port.
package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// Harness is a runner with its environment.
type Harness struct {
	Runner sandbox.Runner
	// Project and Other have files and a repository each.
	Project, Other core.ID
	// Read returns a file of Project, and whether it is there.
	Read func(path string) (string, bool)
	// Write puts a file into Project.
	Write func(path, content string)
	// Script tells a fake what a line does; real runners know it.
	Script func(line string, does Effect)
	// Broken returns a runner on a machine without isolation.
	Broken func() sandbox.Runner
	// Offline returns a runner that gives commands no network.
	Offline func() sandbox.Runner
}

// Effect is that of a line.
type Effect struct {
	Output   string
	ExitCode int
	// Endless runs until it is ended.
	Endless bool
	// Files are those that it writes.
	Files map[string]string
	// Asks are the hosts that it asks for.
	Asks []string
}

// Run tests a runner against the port. open returns a new harness.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	clauses := []struct {
		name string
		test func(t *testing.T, b Harness)
	}{
		{"both streams come back in order with the exit code", givesOutputAndCode},
		{"a command works on the project's files", worksOnFiles},
		{"long output keeps its beginning and its end", cutsOutput},
		{"output is valid text", givesText},
		{"a program that is not there is an outcome", missesPrograms},
		{"a command that takes too long is ended", endsInTime},
		{"a caller who gives up gets the context's error", honoursCancel},
		{"lines that no shell takes are refused", refusesLines},
		{"a project without files is not found", missesProjects},
		{"without isolation nothing runs", refusesWithoutIsolation},
		{"hosts beside those of the command are refused and named", namesRefused},
		{"where no network can be given, no command with hosts runs", keepsPromises},
		{"commands at the same time do not disturb each other", runsInParallel},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, open(t)) })
	}
}

// mustRun runs a line with a known effect.
func (b Harness) mustRun(t *testing.T, line string, does Effect) sandbox.Outcome {
	t.Helper()
	b.Script(line, does)
	got, err := b.Runner.Run(t.Context(), b.Project, sandbox.Command{Line: line})
	if err != nil {
		t.Fatalf("%s: got error %v", line, err)
	}
	return got
}

func givesOutputAndCode(t *testing.T, b Harness) {
	got := b.mustRun(t, "echo one; echo two >&2; echo three; exit 3", Effect{Output: "one\ntwo\nthree\n", ExitCode: 3})
	if got.Output != "one\ntwo\nthree\n" || got.ExitCode != 3 || got.Ended != "" || got.Refused != nil {
		t.Errorf("got %+v, want three lines and exit code 3", got)
	}
	if err := b.Runner.Available(t.Context()); err != nil {
		t.Errorf("got %v, want it available", err)
	}
}

func worksOnFiles(t *testing.T, b Harness) {
	b.Write("src/in.txt", "hello\n")
	b.mustRun(t, "tr a-z A-Z <src/in.txt >src/out.txt", Effect{Files: map[string]string{"src/out.txt": "HELLO\n"}})
	if got, found := b.Read("src/out.txt"); !found || got != "HELLO\n" {
		t.Errorf("got %q, %v, want the file that the command wrote", got, found)
	}
	b.Write("src/out.txt", "again\n")
	if got, _ := b.Read("src/out.txt"); got != "again\n" {
		t.Errorf("got %q, want a file that the service can still write", got)
	}
}

func cutsOutput(t *testing.T, b Harness) {
	var all strings.Builder
	for i := range 100_000 {
		fmt.Fprintln(&all, i+1)
	}
	got := b.mustRun(t, "seq 1 100000", Effect{Output: all.String()}).Output
	if !strings.HasPrefix(got, "1\n2\n") || !strings.HasSuffix(got, "\n99999\n100000\n") || !strings.Contains(got, "left out") {
		t.Errorf("got %.40q … %q, want beginning, end and a note", got, got[max(0, len(got)-40):])
	}
	if len(got) > sandbox.MaxOutputBytes+100 {
		t.Errorf("got %d bytes, want at most %d and a note", len(got), sandbox.MaxOutputBytes)
	}
}

func givesText(t *testing.T, b Harness) {
	got := b.mustRun(t, `printf 'a\377b\000cä'`, Effect{Output: "a\xffb\x00cä"}).Output
	if want := "a\uFFFDb\uFFFDcä"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func missesPrograms(t *testing.T, b Harness) {
	got, err := b.Runner.Run(t.Context(), b.Project, sandbox.Command{Line: "no-such-program --fly"})
	if err != nil || got.ExitCode != 127 || !strings.Contains(got.Output, "not found") {
		t.Errorf("got %+v, %v, want exit code 127", got, err)
	}
}

// patience is how long a test waits for something that takes a moment.
const patience = 2 * time.Minute

func endsInTime(t *testing.T, b Harness) {
	line := "echo started; while :; do :; done"
	b.Script(line, Effect{Output: "started\n", Endless: true})
	start := time.Now()
	got, err := b.Runner.Run(t.Context(), b.Project, sandbox.Command{Line: line, Time: 10 * time.Second})
	if err != nil || got.Ended != sandbox.LimitTime || got.Output != "started\n" {
		t.Errorf("got %+v, %v, want what it said until its time was up", got, err)
	}
	if took := time.Since(start); took > patience {
		t.Errorf("got an end after %s, want one soon after ten seconds", took)
	}
}

func honoursCancel(t *testing.T, b Harness) {
	line := "sleep 600"
	b.Script(line, Effect{Endless: true})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	start := time.Now()
	if _, err := b.Runner.Run(ctx, b.Project, sandbox.Command{Line: line}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if took := time.Since(start); took > patience {
		t.Errorf("got an end after %s, want one at once", took)
	}
	if _, err := b.Runner.Run(ctx, b.Project, sandbox.Command{Line: line}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that had ended: got %v, want context.Canceled", err)
	}
}

func refusesLines(t *testing.T, b Harness) {
	for _, line := range []string{"", " \n", "echo a\x00b", ": " + strings.Repeat("x", sandbox.MaxLineBytes)} {
		if _, err := b.Runner.Run(t.Context(), b.Project, sandbox.Command{Line: line}); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%.20q: got %v, want validation_failed", line, err)
		}
	}
	longest := ": " + strings.Repeat("x", sandbox.MaxLineBytes-2)
	if got := b.mustRun(t, longest, Effect{}); got.ExitCode != 0 {
		t.Errorf("the longest line: got exit code %d, want 0", got.ExitCode)
	}
}

func missesProjects(t *testing.T, b Harness) {
	for _, project := range []core.ID{core.NewID(), "..", ""} {
		if _, err := b.Runner.Run(t.Context(), project, sandbox.Command{Line: "true"}); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%q: got %v, want not_found", project, err)
		}
	}
}

func refusesWithoutIsolation(t *testing.T, b Harness) {
	broken := b.Broken()
	if err := broken.Available(t.Context()); !core.IsCode(err, core.CodeSandboxUnavailable) {
		t.Errorf("Available: got %v, want sandbox_unavailable", err)
	}
	b.Script("echo hi >made.txt", Effect{Files: map[string]string{"made.txt": "hi\n"}})
	if _, err := broken.Run(t.Context(), b.Project, sandbox.Command{Line: "echo hi >made.txt"}); !core.IsCode(err, core.CodeSandboxUnavailable) {
		t.Errorf("Run: got %v, want sandbox_unavailable", err)
	}
	if _, found := b.Read("made.txt"); found {
		t.Error("the command ran, want nothing to run")
	}
}

// asks requests two hosts of the proxy. It needs perl.
const asks = `perl -MIO::Socket::INET -e 'for $host ("b.refused.test", "a.refused.test", "b.refused.test") { ` +
	`my ($proxy) = $ENV{HTTPS_PROXY} =~ m{^http://([^/]+)$} or die "no proxy"; my $s = IO::Socket::INET->new($proxy) or die "$!"; ` +
	`print $s "CONNECT $host:443 HTTP/1.1\r\nHost: $host\r\n\r\n"; print scalar <$s> }'`

func namesRefused(t *testing.T, b Harness) {
	b.Script(asks, Effect{Asks: []string{"b.refused.test", "a.refused.test", "b.refused.test"}})
	command := sandbox.Command{Line: asks, Hosts: core.HostPatterns{"*.allowed.test"}}
	got, err := b.Runner.Run(t.Context(), b.Project, command)
	if missing := b.Runner.Network(t.Context()); missing != nil {
		if !core.IsCode(missing, core.CodeSandboxUnavailable) || !core.IsCode(err, core.CodeSandboxUnavailable) {
			t.Errorf("got %v and %v, want sandbox_unavailable where there is no network", missing, err)
		}
		return
	}
	if err != nil || !slices.Equal(got.Refused, []string{"a.refused.test", "b.refused.test"}) {
		t.Errorf("got %+v, %v, want both hosts refused", got, err)
	}
	command.Hosts = nil
	if got, err = b.Runner.Run(t.Context(), b.Project, command); err != nil || got.Refused != nil {
		t.Errorf("without hosts: got %+v, %v, want nobody to ask", got, err)
	}
}

func keepsPromises(t *testing.T, b Harness) {
	offline := b.Offline()
	b.Script("echo hi >made.txt", Effect{Files: map[string]string{"made.txt": "hi\n"}})
	command := sandbox.Command{Line: "echo hi >made.txt", Hosts: core.HostPatterns{"a.example.com"}}
	_, err := offline.Run(t.Context(), b.Project, command)
	for _, err := range []error{err, offline.Network(t.Context())} {
		if !core.IsCode(err, core.CodeSandboxUnavailable) {
			t.Errorf("got %v, want sandbox_unavailable", err)
		}
	}
	if _, found := b.Read("made.txt"); found {
		t.Error("the command ran, want nothing to run")
	}
	command.Hosts = nil
	if got, err := offline.Run(t.Context(), b.Project, command); err != nil || got.ExitCode != 0 {
		t.Errorf("without hosts: got %+v, %v, want it to run", got, err)
	}
}

func runsInParallel(t *testing.T, b Harness) {
	const commands = 8
	var group sync.WaitGroup
	for i := range commands {
		line := fmt.Sprintf("echo %d; echo %d >file%d.txt", i, i, i)
		said := fmt.Sprintf("%d\n", i)
		b.Script(line, Effect{Output: said, Files: map[string]string{fmt.Sprintf("file%d.txt", i): said}})
		group.Go(func() {
			got, err := b.Runner.Run(t.Context(), b.Project, sandbox.Command{Line: line})
			if err != nil || got.Output != said {
				t.Errorf("%s: got %+v, %v, want %q", line, got, err, said)
			}
		})
	}
	group.Wait()
	for i := range commands {
		if _, found := b.Read(fmt.Sprintf("file%d.txt", i)); !found {
			t.Errorf("the file of command %d is missing", i)
		}
	}
}
