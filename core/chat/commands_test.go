package chat_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// bench is a project for the agent, with index.html and old.txt, in memory.
type bench struct {
	t        *testing.T
	store    storage.Store
	sandbox  *memory.Sandbox
	engine   *memorybackend.Engine
	bus      *memory.Bus
	pipeline *files.Pipeline
	projects *chat.PipelineProjects
	open     tools.Project
	project  core.ID
	// allow sets the workspace's commandHosts.
	allow func(hosts ...core.HostPattern)
}

func newBench(t *testing.T) *bench {
	t.Helper()
	trees, store, bus := memory.NewTrees(), memory.NewStore(), memory.NewBus()
	b := &bench{t: t, store: store, sandbox: memory.NewSandbox(trees), bus: bus, project: core.NewID()}
	b.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(trees), Store: store, Bus: bus,
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Search: memory.NewSearch(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	user, workspace := core.NewID(), core.NewID()
	rows, err := b.pipeline.Create(t.Context(), b.project, fstest.MapFS{
		"index.html": {Data: []byte("<p>")}, "old.txt": {Data: []byte("old")},
	}, vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}})
	err = errors.Join(err, store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
		err := errors.Join(
			tables.Users.Create(ctx, core.User{ID: user, Email: "ann@example.com"}),
			tables.Workspaces.Create(ctx, core.Workspace{ID: workspace, Name: "Team", Slug: "team"}),
			tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: workspace, UserID: user, Role: core.RoleMember}),
			tables.Projects.Create(ctx, core.Project{ID: b.project, WorkspaceID: workspace, Slug: "shop", Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: user}),
		)
		_, applied := tables.Files.Apply(ctx, b.project, storage.FileDelta{Put: rows})
		return errors.Join(err, applied)
	}))
	if err != nil {
		t.Fatal(err)
	}
	gate := access.NewGate(store)
	b.engine = memorybackend.New(memorybackend.Config{})
	data := backends.New(backends.Deps{Store: store, Gate: gate, Files: b.pipeline, Engine: b.engine, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	b.projects = chat.NewPipelineProjects(chat.PipelineDeps{Store: store, Gate: gate, Files: b.pipeline, Commands: b.sandbox, Syntax: memory.NewBuilder(), Backends: data})
	b.open = b.projects.Open(core.Run{ProjectID: b.project, UserID: user})
	b.allow = func(hosts ...core.HostPattern) {
		_, err := store.Tables().Workspaces.Update(t.Context(), workspace, func(w *core.Workspace) error {
			w.CommandHosts = hosts
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// paths lists the project's files as everybody sees them.
func (b *bench) paths() string {
	b.t.Helper()
	entries, err := b.open.List(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	var paths []string
	for _, entry := range entries {
		paths = append(paths, entry.Path.String())
	}
	return strings.Join(paths, " ")
}

func TestWhatACommandChangesIsListedAnnouncedAndCommitted(t *testing.T) {
	b := newBench(t)
	b.sandbox.Script("generate", memory.SandboxAnswer{
		Output: "done", Files: map[string]string{"src/made.ts": "export {}", "index.html": "<h1>"}, Deleted: []string{"old.txt"},
	})
	notices, err := b.bus.Follow(t.Context(), b.project)
	if err != nil {
		t.Fatal(err)
	}
	report, changed, err := b.open.Run(t.Context(), "generate")
	if err != nil || report != "Exit code 0.\ndone\n" {
		t.Fatalf("got %q, %v, want the report", report, err)
	}
	want := "[{index.html modified} {old.txt deleted} {src/made.ts created}]"
	if got := fmt.Sprint(changed); got != want {
		t.Errorf("got the changes %s, want %s", got, want)
	}
	if got := b.paths(); got != "index.html src/made.ts" {
		t.Errorf("got the files %s, want them as the command left them", got)
	}
	if notice := <-notices; notice.Kind != core.NoticeFiles || len(notice.Files) != 3 {
		t.Errorf("got the notice %+v, want the three files", notice)
	}
	run := core.Run{ID: core.NewID(), ProjectID: b.project, ChatID: core.NewID()}
	if version, committed, err := b.projects.Commit(t.Context(), run, "nothing"); err != nil || committed {
		t.Errorf("got %+v, %v, %v, want no version of a run that changed nothing", version, committed, err)
	}
	run.Changed = []core.ProjectPath{core.MustPath("index.html"), core.MustPath("old.txt"), core.MustPath("src/made.ts")}
	version, committed, err := b.projects.Commit(t.Context(), run, "generate")
	if err != nil || !committed || version.FilesChanged != 3 {
		t.Errorf("got %+v, %v, %v, want a version with three files", version, committed, err)
	}
}

func TestACommandThatWasStoppedLeavesItsChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.sandbox.Script("endless", memory.SandboxAnswer{Files: map[string]string{"half.txt": "x"}, Endless: true})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		_, changed, err := b.open.Run(ctx, "endless")
		if !errors.Is(err, context.Canceled) || fmt.Sprint(changed) != "[{half.txt created}]" {
			t.Errorf("got %v, %v, want the context's error and the change", changed, err)
		}
		if got := b.paths(); got != "half.txt index.html old.txt" {
			t.Errorf("got the files %s, want what the command wrote among them", got)
		}
	})
}

func TestWhatACommandLeftWhoseProcessDiedIsListedAndAnnounced(t *testing.T) {
	b := newBench(t)
	notices, err := b.bus.Follow(t.Context(), b.project)
	if err != nil {
		t.Fatal(err)
	}
	before := b.paths()
	b.sandbox.Script("generate", memory.SandboxAnswer{Files: map[string]string{"made.txt": "x"}})
	if _, err := b.sandbox.Run(t.Context(), b.project, sandbox.Command{Line: "generate"}); err != nil {
		t.Fatal(err)
	}
	if got := b.paths(); got != before {
		t.Fatalf("got the files %s, want those of before: nobody has told", got)
	}
	if err := b.projects.CatchUp(t.Context(), b.project); err != nil {
		t.Fatal(err)
	}
	if got := b.paths(); got != "index.html made.txt old.txt" {
		t.Errorf("got the files %s, want what the command left among them", got)
	}
	if notice := <-notices; notice.Kind != core.NoticeFiles || len(notice.Files) != 1 {
		t.Errorf("got the notice %+v, want the file", notice)
	}
}

func TestSyntaxIsCheckedByTheNameOfTheFile(t *testing.T) {
	b := newBench(t)
	broken, err := b.open.Syntax(t.Context(), core.MustPath("src/a.ts"), []byte("f(1"))
	if err != nil || len(broken) != 1 || broken[0].Path != "src/a.ts" || broken[0].Line != 1 {
		t.Errorf("got %+v, %v, want what is broken", broken, err)
	}
	if broken, err = b.open.Syntax(t.Context(), core.MustPath("a.txt"), []byte("f(1")); err != nil || len(broken) > 0 {
		t.Errorf("got %+v, %v, want nothing for plain text", broken, err)
	}
}

func TestWithoutASandboxNoCommandRuns(t *testing.T) {
	b := newBench(t)
	b.sandbox.SetMissing(true)
	if _, _, err := b.open.Run(t.Context(), "ls"); !core.IsCode(err, core.CodeSandboxUnavailable) || len(b.sandbox.Lines()) != 0 {
		t.Errorf("got %v and the lines %q, want sandbox_unavailable", err, b.sandbox.Lines())
	}
}

func TestAProjectIsFreeWhileACommandRuns(t *testing.T) {
	b := newBench(t)
	b.sandbox.Script("endless", memory.SandboxAnswer{Endless: true})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, _, err := b.open.Run(ctx, "endless")
		ended <- err
	}()
	conformance.Eventually(t, "the command", func() bool { return len(b.sandbox.Lines()) > 0 })
	change := core.FileChange{Op: core.OpWrite, Path: core.MustPath("beside.txt"), Content: []byte("x")}
	if _, err := b.open.Apply(t.Context(), change, ""); err != nil {
		t.Errorf("got %v, want a write beside the command", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestEveryEndOfACommandHasItsWords(t *testing.T) {
	b := newBench(t)
	for want, answer := range map[string]memory.SandboxAnswer{
		"Exit code 3.\n":                                    {ExitCode: 3},
		"Exit code 0.\none line\n":                          {Output: "one line\n"},
		"The command was stopped after 2m0s. Its output:":   {Ended: sandbox.LimitTime},
		"it exceeded a limit: disk space. Its output:\nx\n": {Ended: sandbox.LimitDisk, Output: "x"},
	} {
		b.sandbox.Script("line", answer)
		if got, _, err := b.open.Run(t.Context(), "line"); err != nil || !strings.Contains(got, want) {
			t.Errorf("%+v: got %q, %v, want %q", answer, got, err, want)
		}
	}
}

func TestACommandThatInstallsOrBuildsIsToldWhoDoes(t *testing.T) {
	const packages, builds = "Packages are installed by Atelier", "Use check_build"
	b := newBench(t)
	for line, want := range map[string]string{
		"npm install lodash": packages, "cd app && npm i lodash": packages, "npx cowsay": packages, "pnpm add x": packages, "yarn add x": packages, "npm create astro@latest": packages,
		"npx tsc": builds, "npx tsc --noEmit": builds, "npm run build": builds, "pnpm dev": builds, "npx vite build": builds, "bun run typecheck": builds,
		"npm test": "", "echo installed": "", "grep npm README.md": "", "node build.js": "",
	} {
		b.sandbox.Script(line, memory.SandboxAnswer{Output: "npm error code ENOTCACHED", ExitCode: 1})
		got, _, err := b.open.Run(t.Context(), line)
		if err != nil || strings.Contains(got, packages) != (want == packages) || strings.Contains(got, builds) != (want == builds) {
			t.Errorf("%s: got %q, %v, want the note %q", line, got, err, want)
		}
	}
	b.sandbox.Script("npm install", memory.SandboxAnswer{Output: "up to date"})
	if got, _, err := b.open.Run(t.Context(), "npm install"); err != nil || strings.Contains(got, packages) {
		t.Errorf("got %q, %v, want no note on a command that worked", got, err)
	}
	if said := b.open.Network(t.Context()); !strings.Contains(said, "package.json") {
		t.Errorf("got %q, want the model told before it tries", said)
	}
}

func TestACommandReachesWhatTheWorkspaceAllows(t *testing.T) {
	b := newBench(t)
	b.sandbox.Script("fetch", memory.SandboxAnswer{Output: "tried", Asks: []string{"b.example.org", "a.example.com", "a.example.org"}})
	run := func() string {
		t.Helper()
		report, _, err := b.open.Run(t.Context(), "fetch")
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if got, said := run(), b.open.Network(t.Context()); got != "Exit code 0.\ntried\n" || !strings.HasPrefix(said, "It has no network and no package registry") {
		t.Errorf("without hosts: got %q and %q", got, said)
	}
	b.allow("*.example.com", "b.example.org")
	if got := run(); got != "Exit code 0.\ntried\nThe network blocked these hosts: a.example.org. Do without them, or ask for an admin of the workspace to allow them (commandHosts).\n" {
		t.Errorf("got %q, want the host that is not allowed named", got)
	}
	if got := b.open.Network(t.Context()); !strings.HasSuffix(got, "443 and 80: *.example.com, b.example.org.") {
		t.Errorf("got %q, want the hosts", got)
	}
	var many []core.HostPattern
	for i := range 31 {
		many = append(many, core.HostPattern(fmt.Sprintf("h%d.example.com", i)))
	}
	b.allow(many...)
	if got := b.open.Network(t.Context()); !strings.HasSuffix(got, "h29.example.com and 1 more.") {
		t.Errorf("got %q, want the number of those not told", got)
	}
	b.sandbox.SetOffline(true)
	if got, said := run(), b.open.Network(t.Context()); got != "Exit code 0.\ntried\nIt had no network: commands have no network here.\n" || said != "It has no network: commands have no network here." {
		t.Errorf("without a proxy: got %q and %q", got, said)
	}
}

// TestAProjectWaitsForItsFirstBuild until a run that changed it has ended as done, or people have changed
// what the template made.
func TestAProjectWaitsForItsFirstBuild(t *testing.T) {
	ended := func(reason core.CompletionReason, changed int) []core.Payload {
		return []core.Payload{core.UserMessage{Text: "A shop, please."}, core.TaskComplete{Reason: reason, Changed: &changed}}
	}
	for name, c := range map[string]struct {
		template string
		path     string
		log      []core.Payload
		byChat   bool
		want     bool
	}{
		"from nowhere":                       {"", "", nil, false, false},
		"from a template":                    {"blank", "", nil, false, true},
		"a file more, by hand":               {"blank", "public/logo.svg", nil, false, true},
		"a file of the template, by hand":    {"blank", "index.html", nil, false, false},
		"a build that was stopped":           {"blank", "index.html", ended(core.ReasonStopped, 1), true, true},
		"a build that ended well":            {"blank", "index.html", ended(core.ReasonDone, 1), true, false},
		"a build whose chat was deleted":     {"blank", "index.html", nil, true, false},
		"a stopped build, then an answer":    {"blank", "index.html", append(ended(core.ReasonStopped, 1), ended(core.ReasonDone, 0)...), true, true},
		"a stopped build, then a whole one":  {"blank", "index.html", append(ended(core.ReasonStopped, 1), ended(core.ReasonDone, 3)...), true, false},
		"a build that ended with a question": {"blank", "index.html", ended(core.ReasonAsked, 1), true, true},
	} {
		t.Run(name, func(t *testing.T) {
			b, chat := newBench(t), core.NewID()
			err := b.store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
				_, err := tables.Projects.Update(ctx, b.project, func(p *core.Project) error {
					if c.template != "" {
						p.Template = &c.template
					}
					return nil
				})
				if c.log != nil {
					made := tables.Chats.Create(ctx, core.Chat{ID: chat, ProjectID: b.project, Mode: core.ModeBuild})
					_, logged := tables.Events.Append(ctx, chat, 1, c.log)
					err = errors.Join(err, made, logged)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if c.path != "" {
				commit := vcs.Commit{Message: "Mine", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}}
				if c.byChat {
					commit.ChatID = &chat
				}
				change := core.FileChange{Op: core.OpWrite, Path: core.MustPath(c.path), Content: []byte("<h1>Mine</h1>")}
				if _, made, err := b.pipeline.ApplyAndCommit(t.Context(), b.project, []core.FileChange{change}, commit); made == nil || err != nil {
					t.Fatal(made, err)
				}
			}
			if got, err := b.projects.Untouched(t.Context(), b.project); got != c.want || err != nil {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}
