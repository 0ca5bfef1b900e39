package codeintel_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/codeintel"
	"github.com/atelierhq/atelier/ports/languageserver"
	"github.com/atelierhq/atelier/ports/packages"
)

// desk is a workspace with projects, its owner, and a stranger.
type desk struct {
	t               *testing.T
	trees           *memory.Trees
	bus             *memory.Bus
	service         *codeintel.Service
	owner, stranger core.Actor
	workspace       core.ID
	projects        []core.ID
	*memory.LanguageServers

	mu      sync.Mutex
	refuse  error
	changed []string
	running []languageserver.Server
	// gate, if set, lets a server be told of one change for each element.
	gate chan struct{}
}

// play plays a test with projects in a bubble.
func play(t *testing.T, projects int, test func(t *testing.T, d *desk)) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{t: t, trees: memory.NewTrees(), bus: memory.NewBus(), workspace: core.NewID()}
		d.LanguageServers = memory.NewLanguageServers(d.trees)
		store := memory.NewStore()
		service := codeintel.New(codeintel.Deps{
			Gate: access.NewGate(store), Sources: d, Resolver: d, Launcher: d, Bus: d.bus, Log: slog.New(slog.DiscardHandler), Settings: codeintel.Settings{MaxServers: 2},
		})
		t.Cleanup(service.Close)
		d.service = service
		d.owner, d.stranger = core.Actor{UserID: core.NewID()}, core.Actor{UserID: core.NewID()}
		tables, ctx := store.Tables(), t.Context()
		err := errors.Join(
			tables.Workspaces.Create(ctx, core.Workspace{ID: d.workspace, Slug: "space", Name: "Space"}),
			tables.Users.Create(ctx, core.User{ID: d.owner.UserID, Email: "owner@example.com"}),
			tables.Users.Create(ctx, core.User{ID: d.stranger.UserID, Email: "stranger@example.com"}),
			tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: d.workspace, UserID: d.owner.UserID, Role: core.RoleOwner}),
		)
		for i := range projects {
			project := core.Project{ID: core.NewID(), WorkspaceID: d.workspace, Slug: "shop" + string(rune('a'+i)), Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: d.owner.UserID}
			if i == 0 {
				project.Visibility = core.VisibilityPublic
			}
			d.projects = append(d.projects, project.ID)
			err = errors.Join(err, tables.Projects.Create(ctx, project), d.trees.Create(ctx, project.ID))
		}
		if err != nil {
			t.Fatal(err)
		}
		test(t, d)
	})
}

// write writes a file of the first project, and tells the bus.
func (d *desk) write(path, content string) {
	d.t.Helper()
	tree, err := d.trees.Open(d.t.Context(), d.projects[0])
	if err != nil {
		d.t.Fatal(err)
	}
	file := core.MustPath(path)
	if made := tree.Apply(d.t.Context(), []core.FileChange{{Op: core.OpWrite, Path: file, Content: []byte(content)}}); made[0].Err != nil {
		d.t.Fatal(made[0].Err)
	}
	d.tell(core.Notice{Kind: core.NoticeFiles, Files: []core.FileNotice{{Action: core.FileModified, Path: file, Entry: &core.FileEntry{}}}})
}

func (d *desk) tell(notice core.Notice) {
	d.t.Helper()
	notice.ProjectID = d.projects[0]
	if err := d.bus.Publish(d.t.Context(), notice); err != nil {
		d.t.Fatal(err)
	}
}

// View implements builds.Sources.
func (d *desk) View(ctx context.Context, project core.ID) (fs.FS, error) {
	tree, err := d.trees.Open(ctx, project)
	if err != nil {
		return nil, err
	}
	return tree.FS(), nil
}

// Install implements packages.Resolver.
func (d *desk) Install(context.Context, map[string]string) (packages.Set, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return packages.Set{Dir: "/store"}, d.refuse
}

// Launch implements the port.
func (d *desk) Launch(ctx context.Context, project core.ID, task languageserver.Task) (languageserver.Server, error) {
	made, err := d.LanguageServers.Launch(ctx, project, task)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running = append(d.running, made)
	return listener{made, d}, err
}

// listener notes what a server is told.
type listener struct {
	languageserver.Server
	desk *desk
}

// Changed implements the port.
func (l listener) Changed(paths []string) {
	if l.desk.gate != nil {
		<-l.desk.gate
	}
	l.desk.mu.Lock()
	defer l.desk.mu.Unlock()
	l.desk.changed = append(l.desk.changed, paths...)
}

func about(path, text string, line, column int) codeintel.Question {
	return codeintel.Question{Path: core.MustPath(path), Text: &text, Line: line, Column: column}
}

// hover asks about a project, and says how often servers have started.
func (d *desk) hover(project int) int {
	d.t.Helper()
	if _, err := d.service.Hover(d.t.Context(), d.owner, d.projects[project], about("src/a.ts", "x", 1, 1)); err != nil {
		d.t.Fatal(err)
	}
	return d.Launched()
}

func TestQuestionsAreAnswered(t *testing.T) {
	play(t, 1, func(t *testing.T, d *desk) {
		d.write("src/util.ts", "/** greet says hello. */\nexport function greet(name: string): string {\n")
		ctx, project := t.Context(), d.projects[0]
		q := about("src/a.ts", "gre", 1, 4)
		list, err := d.service.Complete(ctx, d.owner, project, q)
		if err != nil || list.Column != 1 || len(list.Items) != 1 || list.Items[0].Source != "./util" || list.Truncated {
			t.Errorf("got %+v, %v, want greet", list, err)
		}
		said, err := d.service.Describe(ctx, d.owner, project, q, "greet", "./util")
		if err != nil || len(said.Edits) != 1 {
			t.Errorf("got %+v, %v, want an import", said, err)
		}
		// The text of the file on the disk.
		where, err := d.service.Define(ctx, d.owner, project, codeintel.Question{Path: core.MustPath("src/util.ts"), Line: 2, Column: 18})
		if err != nil || len(where) != 1 || where[0].Path != "src/util.ts" {
			t.Errorf("got %+v, %v, want its own place", where, err)
		}
		found, err := d.service.Diagnose(ctx, d.owner, project, about("src/a.ts", "const size: number = 'x';\n", 0, 0))
		if err != nil || len(found) != 1 {
			t.Errorf("got %+v, %v, want an error", found, err)
		}
		d.write(".prettierrc", "\ufeff"+`{"tabWidth": 3}`)
		edits, err := d.service.Format(ctx, d.owner, project, about("src/a.ts", "{\nx\n}\n", 0, 0))
		if err != nil || len(edits) != 1 || edits[0].Text != "   " {
			t.Errorf("got %+v, %v, want three spaces", edits, err)
		}
	})
}

func TestWhoMayAsk(t *testing.T) {
	play(t, 2, func(t *testing.T, d *desk) {
		q := about("src/a.ts", "x", 1, 1)
		if _, err := d.service.Hover(t.Context(), d.stranger, d.projects[0], q); err != nil {
			t.Errorf("a reader of a public project: got %v", err)
		}
		if _, err := d.service.Hover(t.Context(), d.stranger, d.projects[1], q); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("a stranger: got %v, want not_found", err)
		}
		if _, err := d.service.Status(t.Context(), d.stranger, d.projects[1]); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("a stranger: got %v, want not_found", err)
		}
		d.SetMissing(true)
		if got, err := d.service.Status(t.Context(), d.owner, d.projects[0]); err != nil || got.Available || !strings.Contains(got.Reason, "install") {
			t.Errorf("without a sandbox: got %+v, %v", got, err)
		}
		if _, err := d.service.Hover(t.Context(), d.owner, d.projects[0], q); !core.IsCode(err, core.CodeSandboxUnavailable) {
			t.Errorf("without a sandbox: got %v", err)
		}
	})
}

func TestWhatCannotBeAsked(t *testing.T) {
	play(t, 1, func(t *testing.T, d *desk) {
		long := strings.Repeat("x", languageserver.MaxTextBytes+1)
		for name, c := range map[string]struct {
			q    codeintel.Question
			want core.Code
		}{
			"another language": {about("index.html", "x", 1, 1), core.CodeUnsupportedFile},
			"too long":         {about("a.ts", long, 1, 1), core.CodePayloadTooLarge},
			"not there":        {codeintel.Question{Path: core.MustPath("a.ts")}, core.CodeNotFound},
		} {
			if _, err := d.service.Hover(t.Context(), d.owner, d.projects[0], c.q); !core.IsCode(err, c.want) {
				t.Errorf("%s: got %v, want %s", name, err, c.want)
			}
		}
		if got := d.Launched(); got != 0 {
			t.Errorf("got %d servers for nothing", got)
		}
	})
}

func TestAServerStaysWhileItIsUsed(t *testing.T) {
	play(t, 1, func(t *testing.T, d *desk) {
		for range 3 {
			if got := d.hover(0); got != 1 {
				t.Errorf("got %d starts, want one", got)
			}
			time.Sleep(4 * time.Minute)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		select {
		case <-d.running[0].Done():
		default:
			t.Error("got an idle server, want it ended")
		}
		if got := d.hover(0); got != 2 {
			t.Errorf("got %d starts, want another", got)
		}
	})
}

func TestTheLeastRecentlyUsedServerGivesWay(t *testing.T) {
	play(t, 3, func(t *testing.T, d *desk) {
		for i, want := range []int{0, 1, 0, 2, 0, 1} {
			// Of two places, project 0 keeps one throughout.
			starts := []int{1, 2, 2, 3, 3, 4}[i]
			if got := d.hover(want); got != starts {
				t.Errorf("question %d: got %d starts, want %d", i, got, starts)
			}
			time.Sleep(time.Second)
		}
	})
}

func TestChangesAreToldBeforeTheNextQuestion(t *testing.T) {
	play(t, 1, func(t *testing.T, d *desk) {
		d.hover(0)
		const many = 20
		d.gate = make(chan struct{})
		for range many {
			d.tell(core.Notice{Kind: core.NoticeFiles, Files: []core.FileNotice{{Action: core.FileModified, Path: core.MustPath("src/many.ts"), Entry: &core.FileEntry{}}}})
		}
		answered := make(chan int, 1)
		go func() { answered <- d.hover(0) }()
		for range many {
			synctest.Wait()
			if len(answered) > 0 {
				t.Fatal("got an answer before all changes were told")
			}
			d.gate <- struct{}{}
		}
		<-answered
		d.gate = nil
		d.changed = nil
		d.write("src/b.ts", "export const b = 1;\n")
		d.hover(0)
		if len(d.changed) != 1 || d.changed[0] != "src/b.ts" {
			t.Errorf("got %v, want src/b.ts", d.changed)
		}
		from := core.MustPath("src/b.ts")
		d.tell(core.Notice{Kind: core.NoticeFiles, Files: []core.FileNotice{{Action: core.FileRenamed, Path: core.MustPath("src/c.ts"), From: &from, Entry: &core.FileEntry{}}}})
		if got := d.hover(0); got != 1 || len(d.changed) != 3 || d.changed[2] != "src/b.ts" {
			t.Errorf("got %v after %d starts, want both names", d.changed, got)
		}
		for i, notice := range []core.Notice{
			{Kind: core.NoticeLagged},
			{Kind: core.NoticeFiles, Files: []core.FileNotice{{Action: core.FileModified, Path: core.MustPath("package.json"), Entry: &core.FileEntry{}}}},
			{Kind: core.NoticeFiles, Files: []core.FileNotice{{Action: core.FileDeleted, Path: core.MustPath("src/folder")}}},
		} {
			d.tell(notice)
			if got := d.hover(0); got != i+2 {
				t.Errorf("notice %d: got %d starts, want another", i, got)
			}
		}
	})
}

func TestAServerThatEndsAfterAWhileIsReplacedAtOnce(t *testing.T) {
	play(t, 1, func(t *testing.T, d *desk) {
		d.hover(0)
		time.Sleep(6 * time.Second)
		d.running[0].Close()
		synctest.Wait()
		if got := d.hover(0); got != 2 {
			t.Errorf("got %d starts, want another", got)
		}
	})
}

func TestAServerThatFailedPauses(t *testing.T) {
	play(t, 1, func(t *testing.T, d *desk) {
		d.hover(0)
		d.running[0].Close()
		synctest.Wait()
		q := about("src/a.ts", "x", 1, 1)
		if _, err := d.service.Hover(t.Context(), d.owner, d.projects[0], q); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want unavailable for a while", err)
		}
		time.Sleep(6 * time.Second)
		if got := d.hover(0); got != 2 {
			t.Errorf("got %d starts, want another", got)
		}
	})
	play(t, 1, func(t *testing.T, d *desk) {
		d.refuse = core.Errorf(core.CodeUnavailable, "no registry")
		q := about("src/a.ts", "x", 1, 1)
		if _, err := d.service.Hover(t.Context(), d.owner, d.projects[0], q); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want unavailable", err)
		}
		d.refuse = nil
		time.Sleep(6 * time.Second)
		d.hover(0)
	})
}
