package buildworker_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/conformance"
)

// frame is one as a worker sends it.
func frame(kind byte, body ...[]byte) []byte {
	all := bytes.Join(body, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(all))), kind), all...)
}

func head(text string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
}

func print(sum byte, size uint64) []byte {
	return binary.BigEndian.AppendUint64(bytes.Repeat([]byte{sum}, 32), size)
}

// The kinds of frames that a worker sends, and of a call.
const (
	kindRead     = 7
	kindOutcome  = 8
	kindContents = 9
)

const oneFile = `{"Result": {"Files": [{"Path": "index.html"}]}}`

// mischief returns what broken workers send, by name, whatever the request.
func mischief() map[string][]byte {
	return map[string][]byte{
		"garbage":                       bytes.Repeat([]byte("garbage"), 10_000),
		"a frame of 4 GiB":              {255, 255, 255, 255, kindOutcome},
		"a head longer than its frame":  frame(kindOutcome, []byte{255, 255, 255, 255}, []byte("{}")),
		"no head":                       frame(kindOutcome),
		"no JSON":                       frame(kindOutcome, head("{")),
		"JSON that nests":               frame(kindOutcome, head(strings.Repeat("[", 1<<20))),
		"a file without a print":        frame(kindOutcome, head(oneFile)),
		"a file of an exabyte":          frame(kindOutcome, head(oneFile), print(1, 1<<60)),
		"a file of less than nothing":   frame(kindOutcome, head(oneFile), print(1, 1<<63)),
		"other contents than it said":   append(frame(kindOutcome, head(oneFile), print(1, 5000)), frame(kindContents, make([]byte, 5000))...),
		"more contents than it said":    append(frame(kindOutcome, head(oneFile), print(1, 10)), frame(kindContents, make([]byte, 5000))...),
		"something else in their place": append(frame(kindOutcome, head(oneFile), print(1, 10)), frame(kindOutcome, make([]byte, 10))...),
		"a call":                        frame(1, head("{}")),
		"an unknown kind":               frame(200),
	}
}

// misbehave is a worker that does what its name says.
func misbehave(name string) {
	conn := os.Stdin
	switch name {
	case "silence":
		_, _ = io.Copy(io.Discard, conn)
	case "noise":
		for range 100 {
			_, _ = os.Stderr.Write(bytes.Repeat([]byte("noise\n\x1b[31m"), 10_000))
		}
		said := make([]byte, 5)
		_, _ = io.ReadFull(conn, said)
		_, _ = io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(said)))
		return
	case "curiosity":
		for _, path := range []string{"../../../etc/passwd", "/etc/passwd", "src/../../etc/passwd", "\x00"} {
			_, _ = conn.Write(frame(kindRead, []byte(path)))
		}
		_, _ = conn.Write(frame(kindRead, []byte("src/main.tsx")))
		said := make([]byte, 5)
		for range 6 { // the call, and the answers
			if _, err := io.ReadFull(conn, said); err != nil {
				return
			}
			body := make([]byte, binary.BigEndian.Uint32(said))
			_, _ = io.ReadFull(conn, body)
			if bytes.Contains(body, []byte("root:")) {
				_, _ = conn.Write(frame(kindOutcome, head(`{"Result": {"Diagnostics": [{"message": "leaked"}]}}`)))
			}
		}
		_, _ = conn.Write(frame(kindOutcome, head(`{"Result": {"Diagnostics": [{"message": "nothing"}]}}`)))
	default:
		_, _ = conn.Write(mischief()[name])
	}
	_, _ = io.Copy(io.Discard, conn)
}

// worse is a pool of workers that misbehave.
func worse(t *testing.T, name string, change ...func(*buildworker.Config)) *buildworker.Pool {
	return open(t, append(change, func(c *buildworker.Config) { c.Command = []string{c.Command[0], "mischief", name} })...)
}

func TestABrokenWorkerIsNoBuilder(t *testing.T) {
	for name := range mischief() {
		t.Run(name, func(t *testing.T) {
			made, err := worse(t, name).Build(t.Context(), build.Request{Mode: build.ModeSite, Files: project("1", nil)})
			if !core.IsCode(err, core.CodeUnavailable) || len(made.Files) > 0 {
				t.Errorf("got %d files, %v, want code %s", len(made.Files), err, core.CodeUnavailable)
			}
		})
	}
}

func TestAWorkerReadsNothingButTheProject(t *testing.T) {
	made, err := worse(t, "curiosity").Build(t.Context(), build.Request{Mode: build.ModeSite, Files: os.DirFS(t.TempDir())})
	if err != nil || len(made.Diagnostics) != 1 || made.Diagnostics[0].Message != "nothing" {
		t.Errorf("got %+v, %v, want that it found nothing", made.Diagnostics, err)
	}
}

func TestAWorkerThatDoesNotAnswerIsEnded(t *testing.T) {
	pool := worse(t, "silence", func(c *buildworker.Config) { c.CheckCPU = 400 * time.Millisecond })
	found, err := pool.Syntax(t.Context(), "a.ts", nil)
	if err != nil || len(found) != 1 {
		t.Errorf("got %+v, %v, want a diagnostic", found, err)
	}
}

func TestAProgramThatCannotBeStartedIsUnavailable(t *testing.T) {
	pool := open(t, func(c *buildworker.Config) { c.Command = []string{"/nowhere/atelier"} })
	for range 3 {
		if _, err := pool.Syntax(t.Context(), "a.ts", nil); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
		}
	}
}

func TestAWorkerThatCannotOpenItsToolsIsUnavailable(t *testing.T) {
	pool := open(t, func(c *buildworker.Config) { c.Command[2] = "/proc/nowhere" })
	if _, err := pool.Build(t.Context(), build.Request{Files: project("1", nil)}); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
}

func TestTheEndOfAWorkerIsOneLineOfTheLog(t *testing.T) {
	// The race detector runs out of memory before the stack is full.
	for name, want := range map[string]string{"noise": "noise", "the stack": "stack overflow|ThreadSanitizer"} {
		var log conformance.Log
		logged := func(c *buildworker.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) }
		pool := open(t, logged)
		if name == "noise" {
			pool = worse(t, name, logged)
		}
		_, err := pool.Build(t.Context(), build.Request{Files: project("export default "+strings.Repeat("!", 90_000)+"1", nil)})
		if err != nil {
			t.Fatal(err)
		}
		lines := eventually(t, "a line", func() []string {
			return slices.Collect(strings.Lines(log.String()))
		})
		if len(lines) != 1 || len(lines[0]) > 3000 || !regexp.MustCompile(want).MatchString(lines[0]) {
			t.Errorf("got %.3000q, want one short line with %q", lines, want)
		}
	}
}

// scriptedBuilder is a builder that does what Env says.
type scriptedBuilder struct {
	build.Builder

	bomb bool
}

// Build implements build.Builder.
func (s *scriptedBuilder) Build(ctx context.Context, req build.Request) (build.Result, error) {
	if s.bomb {
		os.Exit(2)
	}
	if req.Env["do"] == "leave a bomb" {
		_, _ = fs.ReadFile(req.Files, "src/main.tsx")
		<-ctx.Done()
		s.bomb = true
		return build.Result{}, ctx.Err()
	}
	return build.Result{Files: []build.File{{Path: "pid", Content: fmt.Append(nil, os.Getpid())}}}, nil
}

// TestWhatAnotherLeftBehindHarmsNobody lets a cancelled build end its worker while the
// next one is at work there.
func TestWhatAnotherLeftBehindHarmsNobody(t *testing.T) {
	pool := open(t, func(c *buildworker.Config) { c.Command = []string{c.Command[0], "scripted", buildworker.Command} })
	ctx, cancel := context.WithCancel(t.Context())
	files := newGate()
	ended := make(chan error, 1)
	go func() {
		_, err := pool.Build(ctx, build.Request{Files: files, Env: map[string]string{"do": "leave a bomb"}})
		ended <- err
	}()
	<-files.reached
	close(files.open)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want %v", err, context.Canceled)
	}
	left := workers(t)
	made, err := pool.Build(t.Context(), build.Request{})
	if err != nil || len(made.Files) != 1 || len(left) != 1 || string(made.Files[0].Content) == fmt.Sprint(left[0]) {
		t.Errorf("got %+v, %v, want it built by another worker than %d", made, err, left)
	}
}
