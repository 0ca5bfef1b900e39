// Package toolchaintest tests a toolchain.Toolchain against its port.
package toolchaintest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// Harness is a toolchain with its environment.
type Harness struct {
	Tools toolchain.Toolchain
	// Project has files.
	Project core.ID
	// Script tells a fake what a line does; real toolchains know it.
	Script func(line string, does Effect)
	// Broken returns a toolchain on a machine that has none.
	Broken func() toolchain.Toolchain
}

// Effect is that of a line.
type Effect struct {
	Says     []string
	ExitCode int
	// Endless runs until it is ended. Ends is a server that does not stay.
	Endless, Ends bool
	// Makes are the files that a build leaves.
	Makes map[string]string
	// Answers is what a server says to every request; Mute listens nowhere.
	Answers string
	Mute    bool
}

// Run tests a toolchain against the port. open returns a new harness.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	clauses := []struct {
		name string
		test func(t *testing.T, b Harness)
	}{
		{"packages are installed once for a key", installsOnce},
		{"an installation that fails is tried again", retriesInstall},
		{"an installation that is given up is tried again", forgetsCancelled},
		{"installations of one project take turns", takesTurns},
		{"a build gives the first output with an index", builds},
		{"a build that fails gives no files", failsBuild},
		{"a build without a site has no output", missesOutput},
		{"a server answers where it listens until it is stopped", serves},
		{"a server that ends says how", tellsEnd},
		{"a server that listens nowhere can be stopped", stopsMute},
		{"a project without files is not found", missesProjects},
		{"without tools nothing runs", refuses},
		{"removing a project twice is no error", removes},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, open(t)) })
	}
}

// outputLines collects the output of tools.
type outputLines struct {
	mu    sync.Mutex
	lines []string
}

func (h *outputLines) say(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, line)
}

func (h *outputLines) all() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.lines, "\n")
}

// task is a line with a known effect.
func (b Harness) task(line string, does Effect, say func(string)) toolchain.Task {
	b.Script(line, does)
	return toolchain.Task{Line: line, Say: say}
}

func (b Harness) install(t *testing.T, key, line string, does Effect) (toolchain.Outcome, string) {
	t.Helper()
	var said outputLines
	got, err := b.Tools.Install(t.Context(), b.Project, key, b.task(line, does, said.say))
	if err != nil {
		t.Fatalf("%s: got error %v", line, err)
	}
	return got, said.all()
}

func installsOnce(t *testing.T, b Harness) {
	if err := b.Tools.Available(t.Context()); err != nil {
		t.Fatalf("got %v, want it available", err)
	}
	works := Effect{Says: []string{"installed", "all"}}
	for i, want := range []string{"installed\nall", "", ""} {
		if got, said := b.install(t, "one", "echo installed; echo all >&2", works); !got.Good() || said != want {
			t.Errorf("time %d: got %+v and %q, want %q", i+1, got, said, want)
		}
	}
	if got, said := b.install(t, "two", "echo installed; echo all >&2", works); !got.Good() || said == "" {
		t.Errorf("another key: got %+v and %q, want it to install", got, said)
	}
	if got, said := b.install(t, "one", "echo installed; echo all >&2", works); !got.Good() || said == "" {
		t.Errorf("the first key again: got %+v and %q, want it to install", got, said)
	}
}

func retriesInstall(t *testing.T, b Harness) {
	for range 2 {
		got, said := b.install(t, "one", "echo no; exit 7", Effect{Says: []string{"no"}, ExitCode: 7})
		if got.ExitCode != 7 || got.Good() || said != "no" {
			t.Errorf("got %+v and %q, want exit code 7 each time", got, said)
		}
	}
}

func forgetsCancelled(t *testing.T, b Harness) {
	ctx, cancel := context.WithCancel(t.Context())
	var said outputLines
	task := b.task("echo begun; sleep 60", Effect{Says: []string{"begun"}, Endless: true}, func(line string) { said.say(line); cancel() })
	if _, err := b.Tools.Install(ctx, b.Project, "one", task); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	if got, said := b.install(t, "one", "echo again", Effect{Says: []string{"again"}}); !got.Good() || said != "again" {
		t.Errorf("got %+v and %q, want it to install", got, said)
	}
}

func takesTurns(t *testing.T, b Harness) {
	line := "echo x >>node_modules/count; sleep 0.2; echo done"
	var said outputLines
	task := b.task(line, Effect{Says: []string{"done"}}, said.say)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got, err := b.Tools.Install(t.Context(), b.Project, "one", task); err != nil || !got.Good() {
				t.Errorf("got %+v, %v, want it installed", got, err)
			}
		})
	}
	all.Wait()
	if got := said.all(); got != "done" {
		t.Errorf("got %q, want one of four to install", got)
	}
}

// sources are the start of builds.
func sources() fstest.MapFS {
	return fstest.MapFS{"index.html": {Data: []byte("<p>source</p>")}, "src/a.js": {Data: []byte("1")}, "dist/old.html": {Data: []byte("old")}}
}

func (b Harness) build(t *testing.T, line string, does Effect) toolchain.BuildOutput {
	t.Helper()
	task := toolchain.BuildTask{Task: b.task(line, does, nil), Files: sources(), Outputs: []string{"dist", "build/client"}}
	got, err := b.Tools.Build(t.Context(), b.Project, task)
	if err != nil {
		t.Fatalf("%s: got error %v", line, err)
	}
	return got
}

func builds(t *testing.T, b Harness) {
	made := map[string]string{"dist/a.txt": "no", "build/client/index.html": "page", "build/client/b/z.js": "z", "build/client/b.js": "b"}
	line := "mkdir -p dist build/client/b && printf no >dist/a.txt && printf page >build/client/index.html && printf z >build/client/b/z.js && printf b >build/client/b.js"
	got := b.build(t, line, Effect{Makes: made})
	var listed []string
	for _, file := range got.Files {
		listed = append(listed, file.Path+"="+string(file.Content))
	}
	if want := []string{"b.js=b", "b/z.js=z", "index.html=page"}; got.Output != "build/client" || !slices.Equal(listed, want) {
		t.Errorf("got %q with %v, want build/client with %v", got.Output, listed, want)
	}
}

func failsBuild(t *testing.T, b Harness) {
	got := b.build(t, "mkdir dist && echo x >dist/index.html && exit 3", Effect{Makes: map[string]string{"dist/index.html": "x"}, ExitCode: 3})
	if got.ExitCode != 3 || len(got.Files) != 0 || got.Output != "" {
		t.Errorf("got %+v, want exit code 3 and no files", got)
	}
}

func missesOutput(t *testing.T, b Harness) {
	got := b.build(t, "mkdir dist && echo x >dist/server.js", Effect{Makes: map[string]string{"dist/server.js": "x"}})
	if !got.Good() || got.Output != "" || len(got.Files) != 0 {
		t.Errorf("got %+v, want a good build without output", got)
	}
}

// server is a server that says hello. It needs node.
const server = `echo starting; exec node -e 'require("http").createServer((q, r) => r.end("hello")).listen(5173, "127.0.0.1")'`

func serves(t *testing.T, b Harness) {
	var said outputLines
	server, err := b.Tools.Serve(t.Context(), b.Project, b.task(server, Effect{Says: []string{"starting"}, Answers: "hello"}, said.say))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	address := awaitListening(t, server)
	if address.Port() != 5173 {
		t.Errorf("got %s, want port 5173", address)
	}
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return server.Dial(ctx, address) },
	}}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got, err := ask(client); err != nil || got != "hello" {
				t.Errorf("got %q, %v, want hello", got, err)
			}
		})
	}
	all.Wait()
	if conn, err := server.Dial(t.Context(), netip.AddrPortFrom(address.Addr(), 9)); err == nil {
		_ = conn.Close()
		t.Error("a port where nothing listens: got a connection, want an error")
	}
	server.Stop()
	server.Stop()
	if got := server.Outcome(); got.Ended != "" || said.all() != "starting" {
		t.Errorf("got %+v and %q, want it stopped", got, said.all())
	}
	if conn, err := server.Dial(t.Context(), address); err == nil {
		_ = conn.Close()
		t.Error("after its end: got a connection, want an error")
	}
	client.CloseIdleConnections()
}

func ask(client *http.Client) (string, error) {
	response, err := client.Get("http://server.test/")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

// patience is how long a test waits for a server.
const patience = 2 * time.Minute

func awaitListening(t *testing.T, server toolchain.Server) netip.AddrPort {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if found := server.Listening(); len(found) > 0 {
			return found[0]
		}
	}
	t.Fatal("the server listens nowhere")
	return netip.AddrPort{}
}

func tellsEnd(t *testing.T, b Harness) {
	var said outputLines
	server, err := b.Tools.Serve(t.Context(), b.Project, b.task("echo bye; exit 4", Effect{Says: []string{"bye"}, ExitCode: 4, Ends: true}, said.say))
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-server.Done():
	case <-time.After(patience):
		t.Fatal("the server did not end")
	}
	if got := server.Outcome(); got.ExitCode != 4 || said.all() != "bye" || len(server.Listening()) != 0 {
		t.Errorf("got %+v, %q, %v, want exit code 4 and nothing that listens", got, said.all(), server.Listening())
	}
	server.Stop()
}

func stopsMute(t *testing.T, b Harness) {
	server, err := b.Tools.Serve(t.Context(), b.Project, b.task("sleep 600", Effect{Mute: true}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := server.Listening(); len(got) != 0 {
		t.Errorf("got %v, want nothing that listens", got)
	}
	start := time.Now()
	server.Stop()
	if took := time.Since(start); took > patience {
		t.Errorf("got a stop after %s, want one at once", took)
	}
}

func missesProjects(t *testing.T, b Harness) {
	b.Script("true", Effect{})
	for _, project := range []core.ID{core.NewID(), "..", ""} {
		task := toolchain.Task{Line: "true"}
		_, install := b.Tools.Install(t.Context(), project, "one", task)
		_, serve := b.Tools.Serve(t.Context(), project, task)
		_, build := b.Tools.Build(t.Context(), project, toolchain.BuildTask{Task: task, Files: sources()})
		for what, err := range map[string]error{"install": install, "serve": serve, "build": build} {
			if !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("%s of %q: got %v, want not_found", what, project, err)
			}
		}
	}
}

func refuses(t *testing.T, b Harness) {
	broken := b.Broken()
	task := toolchain.Task{Line: "true"}
	_, install := broken.Install(t.Context(), b.Project, "one", task)
	_, serve := broken.Serve(t.Context(), b.Project, task)
	_, build := broken.Build(t.Context(), b.Project, toolchain.BuildTask{Task: task, Files: sources()})
	for what, err := range map[string]error{"available": broken.Available(t.Context()), "install": install, "serve": serve, "build": build} {
		var known *core.Error
		if !errors.As(err, &known) || known.Code != core.CodeSandboxUnavailable || !strings.Contains(known.Message, "install") {
			t.Errorf("%s: got %v, want sandbox_unavailable with what to install", what, err)
		}
	}
}

func removes(t *testing.T, b Harness) {
	works := Effect{Says: []string{"installed"}}
	for i, project := range []core.ID{b.Project, b.Project, core.NewID()} {
		if got, said := b.install(t, "one", "echo installed", works); i < 1 && (!got.Good() || said == "") {
			t.Fatalf("got %+v, want it installed", got)
		}
		if err := b.Tools.Remove(t.Context(), project); err != nil {
			t.Errorf("%d: got %v, want no error", i, err)
		}
	}
	if err := b.Tools.Remove(t.Context(), b.Project); err != nil {
		t.Error(err)
	}
	if _, said := b.install(t, "one", "echo installed", works); said != "installed" {
		t.Errorf("got %q, want it to install again", said)
	}
}
