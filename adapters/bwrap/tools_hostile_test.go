package bwrap_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// toolLimits are limits that tests reach quickly. Node.js alone takes some tens of
// megabytes.
var toolLimits = bwrap.Limits{Processes: 64, MemoryBytes: 256 << 20, FileBytes: 64 << 20, DiskBytes: 400 << 20, OutputBytes: 1 << 20, ScratchBytes: 24 << 20}

// workshop is a project with hostile tools.
type workshop struct {
	*place
	tools   *bwrap.Tools
	project core.ID
	// data is the directory of the tools' own directory and of files that they must not
	// see.
	data string
	// asked counts the requests to the registry.
	asked atomic.Int64
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	w := &workshop{place: newPlace(t), data: t.TempDir()}
	w.project = w.place.project()
	registry := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		w.asked.Add(1)
		_, _ = rw.Write([]byte(`"registry"`))
	})
	runner := w.runner(bwrap.ModeBwrap, func(c *bwrap.Config) { c.Hidden = []string{w.data} })
	w.tools = bwrap.NewTools(runner, bwrap.ToolsConfig{Dir: filepath.Join(w.data, "node"), Registry: registry, Limits: toolLimits})
	return w
}

// run installs with a line and returns its output.
func (w *workshop) run(line string) (toolchain.Outcome, string) {
	w.t.Helper()
	var mu sync.Mutex
	var said []string
	outcome, err := w.tools.Install(w.t.Context(), w.project, string(core.NewID()), toolchain.Task{Line: line, Say: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, text)
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	return outcome, strings.Join(said, "\n")
}

// serve starts a server and waits for its end.
func (w *workshop) end(line string) toolchain.Outcome {
	w.t.Helper()
	server, err := w.tools.Serve(w.t.Context(), w.project, toolchain.Task{Line: line})
	if err != nil {
		w.t.Fatal(err)
	}
	defer server.Stop()
	conformance.Await(w.t, "the end of "+line, server.Done())
	return server.Outcome()
}

func TestToolsReachNothingButTheRegistry(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	host := httptest.NewServer(http.NotFoundHandler())
	defer host.Close()
	_, port, _ := net.SplitHostPort(host.Listener.Addr().String())
	script := `const net = require("net"); let left = 0;
for (const [host, port] of [["127.0.0.1", ` + port + `], ["1.1.1.1", 443], ["169.254.169.254", 80], ["10.0.0.1", 22], ["::1", ` + port + `]]) {
  left++; const s = net.connect({host, port, timeout: 3000});
  const done = (what) => { console.log(host, what); s.destroy(); if (--left === 0) look(); };
  s.once("connect", () => done("REACHED")).once("error", () => done("no")).once("timeout", () => done("no"));
}
const look = () => require("dns").lookup("example.com", (err) => { console.log("dns", err ? "no" : "REACHED");
  fetch("http://127.0.0.1:4873/x").then((r) => r.text()).then((text) => console.log(text)); });`
	if err := os.WriteFile(filepath.Join(w.dir(w.project), "scan.js"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	got, said := w.run("node scan.js; ls /sys/class/net 2>/dev/null; cat /proc/net/dev | tail -n +3 | cut -d: -f1")
	if !got.Good() || strings.Contains(said, "REACHED") || strings.Count(said, " no") != 6 || !strings.Contains(said, `"registry"`) || strings.Contains(said, "eth") {
		t.Errorf("got %+v and %q, want the registry reached and nothing else", got, said)
	}
	if w.asked.Load() != 1 {
		t.Errorf("got %d requests to the registry, want 1", w.asked.Load())
	}
}

func TestToolsSeeNothingOfOthers(t *testing.T) {
	w := newWorkshop(t)
	t.Setenv("ATELIER_CANARY", "hunter2")
	other := w.place.project()
	secret := filepath.Join(w.data, "atelier.db")
	for _, file := range []string{secret, filepath.Join(w.dir(other), "secret.txt")} {
		if err := os.WriteFile(file, []byte("hunter2"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, said := w.run(`cat /proc/*/environ | tr '\0' '\n'; cat .git/config; ls -a /app/.. ; cat /proc/*/cmdline | tr '\0' ' '; for p in /proc/[0-9]*; do ls -l $p/fd; done 2>/dev/null`)
	for _, leak := range []string{"hunter2", w.root, w.data, string(other), "bare = false"} {
		if strings.Contains(said, leak) {
			t.Errorf("got %q, want no %q", said, leak)
		}
	}
	_, said = w.run(fmt.Sprintf("cat %s %s/* 2>&1; ls %s %s 2>&1", secret, w.dir(other), w.root, w.data))
	if strings.Count(said, "No such file or directory") != 4 || strings.Contains(said, "hunter2") {
		t.Errorf("got %q, want other places to be missing", said)
	}
	got, said := w.run("touch /usr/x /etc/x /app/.git/x 2>&1; cat /etc/hosts; whoami; touch node_modules/ok made-by-tool && echo written")
	if !got.Good() || !strings.Contains(said, "written") || !strings.Contains(said, "app") || strings.Count(said, "Read-only")+strings.Count(said, "denied") < 3 {
		t.Errorf("got %+v and %q, want the project and its packages alone to be writable", got, said)
	}
	if _, err := os.Stat(filepath.Join(w.dir(w.project), "node_modules", "ok")); err == nil {
		t.Error("got an installed file among the project's files, want it beside them")
	}
	if _, err := os.Stat(filepath.Join(w.data, "node", string(w.project), "node_modules", "ok")); err != nil {
		t.Errorf("got %v, want the installed file in the workplace", err)
	}
}

func TestServersWithoutMeasureAreEnded(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want string
	}{
		"a fork bomb":          {"for i in $(seq 1 500); do (sleep 60) & done; wait; sleep 60", "processes"},
		"memory in one piece":  {"node -e 'const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1))'", "memory"},
		"memory in many parts": {`for i in 1 2 3 4 5 6 7 8; do perl -e '$x = "x" x 60000000; sleep 60' & done; wait`, "memory"},
		"a full disk":          {"for i in $(seq 1 20); do head -c 60000000 /dev/zero >node_modules/$i; done; sleep 60", "disk space"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t)
			got := w.end(c.line)
			refused := got.Ended == "" && got.ExitCode != 0
			if got.Ended != c.want && !refused {
				t.Errorf("got %+v, want it ended for %s", got, c.want)
			}
			if left := inside(w.project); left > 0 {
				t.Errorf("got %d processes left, want none", left)
			}
		})
	}
}

func TestAServerThatTalksWithoutEndIsHeldUp(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	var lines, longest atomic.Int64
	server, err := w.tools.Serve(t.Context(), w.project, toolchain.Task{Line: "head -c 100000 /dev/zero | tr '\\0' x; echo; yes 'no end'", Say: func(line string) {
		lines.Add(1)
		longest.Store(max(longest.Load(), int64(len(line))))
	}})
	if err != nil {
		t.Fatal(err)
	}
	conformance.Eventually(t, "some hundred lines", func() bool { return lines.Load() >= 500 })
	server.Stop()
	if got := lines.Load(); got > 5000 {
		t.Errorf("got %d lines, want some hundred", got)
	}
	if got := longest.Load(); got != toolchain.MaxLineBytes {
		t.Errorf("got a line of %d bytes, want it cut at %d", got, toolchain.MaxLineBytes)
	}
	if got, _ := w.run("yes"); got.Ended != "output" {
		t.Errorf("an installation: got %+v, want it ended for its output", got)
	}
}

func TestMinersAreNice(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	server, err := w.tools.Serve(t.Context(), w.project, toolchain.Task{Line: "exec node -e 'for (;;);'"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	var worst int
	conformance.Becomes(func() bool {
		worst = w.niceness("node")
		return worst != 0
	})
	if worst != 19 {
		t.Errorf("got niceness %d, want 19", worst)
	}
	server.Stop()
	if left := inside(w.project); left > 0 {
		t.Errorf("got %d processes after the stop, want none", left)
	}
}

// niceness is that of a program of the project, 0 when it does not run.
func (w *workshop) niceness(program string) int {
	tables, _ := filepath.Glob("/proc/[0-9]*/mountinfo")
	for _, table := range tables {
		content, err := os.ReadFile(table)
		if err != nil || !strings.Contains(string(content), string(w.project)) {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(table), "stat"))
		_, rest, found := strings.Cut(string(stat), "("+program+") ")
		if fields := strings.Fields(rest); found && len(fields) > 16 {
			nice, _ := strconv.Atoi(fields[16])
			return nice
		}
	}
	return 0
}

func TestABuildFollowsNoLinks(t *testing.T) {
	w := newWorkshop(t)
	secret := filepath.Join(w.data, "secret.txt")
	if err := os.WriteFile(secret, []byte("hunter2"), 0o644); err != nil {
		t.Fatal(err)
	}
	build := func(line string) toolchain.BuildOutput {
		t.Helper()
		got, err := w.tools.Build(t.Context(), w.project, toolchain.BuildTask{
			Task: toolchain.Task{Line: line}, Files: os.DirFS(w.dir(w.project)), Outputs: []string{"dist", "a/dist"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := build(fmt.Sprintf("mkdir dist && echo hi >dist/index.html && ln -s %s dist/leak.txt && ln -s / dist/root && mkfifo dist/pipe && ln -s index.html dist/also.html", secret))
	if len(got.Files) != 1 || got.Files[0].Path != "index.html" {
		t.Errorf("got %+v, want the page alone", got.Files)
	}
	for _, line := range []string{
		fmt.Sprintf("ln -s %s dist", w.data), "mkdir real && echo x >real/index.html && ln -s real dist", "mkdir -p b/dist && echo x >b/dist/index.html && ln -s b a",
		"mkdir dist && mkdir y && echo x >y/index.html && ln -s ../y/index.html dist/index.html",
	} {
		if got := build(line); got.Output != "" || len(got.Files) != 0 {
			t.Errorf("%s: got %+v, want no output", line, got)
		}
	}
	if got := build("mkdir dist && echo x >dist/index.html && for i in 1 2 3 4 5; do head -c 60000000 /dev/zero >dist/$i; done"); !got.TooLarge && got.Ended != "disk space" {
		t.Errorf("got %+v with %d files, want too much", got.Outcome, len(got.Files))
	}
}

func TestToolsAreRefusedWhereTheyCannotBeKeptApart(t *testing.T) {
	for name, c := range map[string]struct {
		mode   bwrap.Mode
		change func(*bwrap.Config)
		want   string
	}{
		"switched off":  {bwrap.ModeOff, nil, "install bubblewrap and nodejs"},
		"no bubblewrap": {bwrap.ModeAuto, func(c *bwrap.Config) { c.Program = "/no/such/bwrap" }, "install bubblewrap and nodejs"},
		"no helper":     {bwrap.ModeBwrap, func(c *bwrap.Config) { c.Helper = "" }, "helper"},
		"not even without isolation": {bwrap.ModeUnsafe, func(c *bwrap.Config) { c.Program = "/no/such/bwrap" },
			"install bubblewrap and nodejs"},
	} {
		p := newPlace(t)
		err := p.tools(c.mode, c.change).Available(t.Context())
		if !core.IsCode(err, core.CodeSandboxUnavailable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want sandbox_unavailable with %q", name, err, c.want)
		}
	}
	t.Run("without Node.js", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		err := newPlace(t).tools(bwrap.ModeBwrap, func(c *bwrap.Config) { c.Program = "/usr/bin/bwrap" }).Available(t.Context())
		if !core.IsCode(err, core.CodeSandboxUnavailable) || !strings.Contains(err.Error(), "apt install nodejs npm") {
			t.Errorf("got %v, want sandbox_unavailable with what to install", err)
		}
	})
}
