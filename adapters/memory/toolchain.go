package memory

import (
	"context"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/toolchain"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Toolchain runs no tools: it does what a script says for a line. A line without a script
// succeeds. An installation and a build report success, a build leaves the files below
// public in dist, with index.html, and a server shows the project's files.
type Toolchain struct {
	trees worktree.Trees
	// locks has the lock of each project's toolchain.
	locks ctxsync.KeyedMutex[core.ID]

	mu        sync.Mutex
	missing   bool
	scripts   map[string]ToolScript
	installed map[core.ID]string
	lines     []string
	servers   map[core.ID]*toolServer
}

var _ toolchain.Toolchain = (*Toolchain)(nil)

// ToolScript is the scripted behaviour of a line.
type ToolScript struct {
	// Says is what it prints, line by line; Outcome is how it ends.
	Says    []string
	Outcome toolchain.Outcome
	// Endless makes it run until it is stopped or its time is up. A server is endless
	// unless Ends is set.
	Endless bool
	Ends    bool
	// Makes are the files that a build leaves, by path from the project's root.
	Makes map[string]string
	// Serves answers at a server's address; nil serves the project's files. Mute means
	// that the server does not listen.
	Serves http.Handler
	Mute   bool
}

// NewToolchain returns a toolchain over the projects' files.
func NewToolchain(trees worktree.Trees) *Toolchain {
	return &Toolchain{
		trees: trees, scripts: map[string]ToolScript{}, installed: map[core.ID]string{},
		servers: map[core.ID]*toolServer{},
	}
}

// Script sets what a line does from now on.
func (t *Toolchain) Script(line string, does ToolScript) *Toolchain {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scripts[line] = does
	return t
}

// SetMissing makes the toolchain behave like a machine without one, or undoes that.
func (t *Toolchain) SetMissing(missing bool) *Toolchain {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.missing = missing
	return t
}

// Crash ends the last server that was started for a project, with an outcome.
func (t *Toolchain) Crash(project core.ID, how toolchain.Outcome) {
	t.mu.Lock()
	server := t.servers[project]
	t.mu.Unlock()
	server.outcome = how
	server.Stop()
}

// Lines returns the lines that were run, in order.
func (t *Toolchain) Lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines)
}

// Available implements toolchain.Toolchain.
func (t *Toolchain) Available(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.missing {
		return core.Errorf(core.CodeSandboxUnavailable, "projects with tools of their own cannot run here: install bubblewrap and nodejs")
	}
	return nil
}

// begin checks what every operation needs, and records its line.
func (t *Toolchain) begin(ctx context.Context, project core.ID, line string) (ToolScript, fs.FS, error) {
	if err := t.Available(ctx); err != nil {
		return ToolScript{}, nil, err
	}
	tree, err := t.trees.Open(ctx, project)
	if err != nil {
		return ToolScript{}, nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.scripts[line], tree.FS(), nil
}

// run does what a script says, within a time.
func (t *Toolchain) run(ctx context.Context, task toolchain.Task, does ToolScript, bound time.Duration) (toolchain.Outcome, error) {
	t.mu.Lock()
	t.lines = append(t.lines, task.Line)
	t.mu.Unlock()
	tell(task, does)
	if does.Endless {
		if err := ctxsync.Sleep(ctx, bound); err != nil {
			return toolchain.Outcome{}, err
		}
		return toolchain.Outcome{Ended: "time"}, nil
	}
	return does.Outcome, ctx.Err()
}

func tell(task toolchain.Task, does ToolScript) {
	for _, line := range does.Says {
		if task.Say != nil {
			task.Say(strings.ToValidUTF8(line[:min(len(line), toolchain.MaxLineBytes)], "\uFFFD"))
		}
	}
}

// Install implements toolchain.Toolchain.
func (t *Toolchain) Install(ctx context.Context, project core.ID, key string, task toolchain.Task) (toolchain.Outcome, error) {
	does, _, err := t.begin(ctx, project, task.Line)
	if err != nil {
		return toolchain.Outcome{}, err
	}
	unlock, err := t.locks.Lock(ctx, project)
	if err != nil {
		return toolchain.Outcome{}, err
	}
	defer unlock()
	t.mu.Lock()
	has := t.installed[project] == key
	t.mu.Unlock()
	if has {
		return toolchain.Outcome{}, nil
	}
	outcome, err := t.run(ctx, task, does, toolchain.MaxInstallTime)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.installed, project)
	if err == nil && outcome.Good() {
		t.installed[project] = key
	}
	return outcome, err
}

// Build implements toolchain.Toolchain.
func (t *Toolchain) Build(ctx context.Context, project core.ID, task toolchain.BuildTask) (toolchain.BuildOutput, error) {
	does, _, err := t.begin(ctx, project, task.Line)
	if err != nil {
		return toolchain.BuildOutput{}, err
	}
	unlock, err := t.locks.Lock(ctx, project)
	if err != nil {
		return toolchain.BuildOutput{}, err
	}
	defer unlock()
	outcome, err := t.run(ctx, task.Task, does, toolchain.MaxBuildTime)
	if err != nil || !outcome.Good() {
		return toolchain.BuildOutput{Outcome: outcome}, err
	}
	made := does.Makes
	if made == nil {
		if made, err = ordinarySite(task.Files); err != nil {
			return toolchain.BuildOutput{}, err
		}
	}
	for _, output := range task.Outputs {
		if _, has := made[output+"/index.html"]; has {
			return toolchain.BuildOutput{Output: output, Files: below(made, output)}, nil
		}
	}
	return toolchain.BuildOutput{}, nil
}

// ordinarySite is the usual result of a build.
func ordinarySite(files fs.FS) (map[string]string, error) {
	made := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		inPublic := strings.HasPrefix(name, "public/")
		if err != nil || !entry.Type().IsRegular() || !inPublic && name != "index.html" {
			return err
		}
		content, err := fs.ReadFile(files, name)
		made[path.Join("dist", strings.TrimPrefix(name, "public/"))] = string(content)
		return err
	})
	return made, err
}

func below(made map[string]string, output string) []toolchain.File {
	var files []toolchain.File
	for name, content := range made {
		if inside, is := strings.CutPrefix(name, output+"/"); is {
			files = append(files, toolchain.File{Path: inside, Content: []byte(content)})
		}
	}
	slices.SortFunc(files, func(a, b toolchain.File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// Remove implements toolchain.Toolchain.
func (t *Toolchain) Remove(_ context.Context, project core.ID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.installed, project)
	return nil
}

// Serve implements toolchain.Toolchain.
func (t *Toolchain) Serve(ctx context.Context, project core.ID, task toolchain.Task) (toolchain.Server, error) {
	does, files, err := t.begin(ctx, project, task.Line)
	if err != nil {
		return nil, err
	}
	server := &toolServer{done: make(chan struct{}), calls: make(chan net.Conn), outcome: does.Outcome, mute: does.Mute}
	t.mu.Lock()
	t.lines = append(t.lines, task.Line)
	t.servers[project] = server
	t.mu.Unlock()
	tell(task, does)
	if does.Ends {
		server.end()
		return server, nil
	}
	handler := does.Serves
	if handler == nil {
		handler = http.FileServerFS(files)
	}
	server.http = &http.Server{Handler: handler}
	go func() { _ = server.http.Serve(server) }()
	return server, nil
}

// toolServer is a server in memory. It is the listener of its own connections.
type toolServer struct {
	http    *http.Server
	calls   chan net.Conn
	outcome toolchain.Outcome
	mute    bool
	once    sync.Once
	done    chan struct{}
}

func (s *toolServer) end() { s.once.Do(func() { close(s.done) }) }

// Accept implements net.Listener.
func (s *toolServer) Accept() (net.Conn, error) {
	select {
	case conn := <-s.calls:
		return conn, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (s *toolServer) Close() error { return nil }

// Addr implements net.Listener.
func (s *toolServer) Addr() net.Addr { return net.TCPAddrFromAddrPort(toolAddress()) }

func toolAddress() netip.AddrPort { return netip.MustParseAddrPort("127.0.0.1:5173") }

// Listening implements toolchain.Server.
func (s *toolServer) Listening() []netip.AddrPort {
	select {
	case <-s.done:
		return nil
	default:
	}
	if s.mute {
		return nil
	}
	return []netip.AddrPort{toolAddress()}
}

// Dial implements toolchain.Server.
func (s *toolServer) Dial(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
	if s.mute || address != toolAddress() {
		return nil, os.ErrNotExist
	}
	ours, theirs := net.Pipe()
	select {
	case s.calls <- theirs:
		return ours, nil
	case <-s.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Done implements toolchain.Server.
func (s *toolServer) Done() <-chan struct{} { return s.done }

// Outcome implements toolchain.Server.
func (s *toolServer) Outcome() toolchain.Outcome { return s.outcome }

// Stop implements toolchain.Server.
func (s *toolServer) Stop() {
	s.end()
	if s.http != nil {
		_ = s.http.Close()
	}
}
