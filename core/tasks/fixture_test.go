package tasks_test

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/core/copies"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/tasks"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/storage"
)

// rig is a project, what boards work with, and checks that look into files.
type rig struct {
	t        *testing.T
	deps     tasks.Deps
	pipeline *files.Pipeline
	checks   *lookers
	member   core.Actor
	stranger core.Actor
	project  core.ID
}

func newRig(t *testing.T) *rig {
	t.Helper()
	store, bus, trees, log := memory.NewStore(), memory.NewBus(), memory.NewTrees(), slog.New(slog.DiscardHandler)
	gate := access.NewGate(store)
	r := &rig{t: t}
	r.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true, Trees: trees, Repositories: memory.NewRepositories(trees), Store: store, Bus: bus,
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: time.Now, Log: log,
	})
	r.checks = &lookers{pipeline: r.pipeline, store: store, now: time.Now}
	records := audit.New(audit.Deps{Store: store, Gate: gate, Now: time.Now, Log: log})
	data := backends.New(backends.Deps{
		Store: store, Gate: gate, Files: r.pipeline, Engine: memorybackend.New(memorybackend.Config{}), Audit: records, Now: time.Now, Log: log,
	})
	service := projects.NewService(projects.Deps{
		Store: store, Gate: gate, Audit: records, Backends: data, Files: r.pipeline, Trees: trees, Templates: memory.NewTemplates(),
		Sites: memory.NewSites(), Bus: bus, Now: time.Now, Log: log, Queued: func() {}, MaxFileBytes: 1 << 20,
		Address: func(slug string) string { return "http://" + slug + ".example.net" },
	})
	r.deps = tasks.Deps{
		Store: store, Gate: gate, Copies: service.Copies, Merger: copies.New(r.pipeline), Committer: r.pipeline.Committer,
		History: r.pipeline.History, Checks: r.checks, Files: r.pipeline.Reader, Attachments: attachments.NewLoader(memory.NewGuard()), Bus: bus, Queued: func() {}, Now: time.Now, Log: log,
	}
	workspace := core.NewID()
	r.must(store.Tables().Workspaces.Create(t.Context(), core.Workspace{ID: workspace, Name: "Team", Slug: "team"}))
	r.member, r.stranger = r.person("ann@example.com"), r.person("eve@example.com")
	r.must(store.Tables().Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: workspace, UserID: r.member.UserID, Role: core.RoleMember}))
	made, err := service.Create(t.Context(), r.member, workspace, projects.Draft{Name: "Shop"})
	r.must(err)
	r.project = made.ID
	return r
}

func (r *rig) person(email string) core.Actor {
	r.t.Helper()
	user := core.User{ID: core.NewID(), Email: email}
	r.must(r.deps.Store.Tables().Users.Create(r.t.Context(), user))
	return core.Actor{UserID: user.ID}
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) wantCode(err error, want core.Code) {
	r.t.Helper()
	if got := core.CodeOf(err); got != want {
		r.t.Fatalf("got %q (%v), want %q", got, err, want)
	}
}

// board returns a board of a process of its own. It is closed with the test.
func (r *rig) board() *tasks.Board {
	r.t.Helper()
	board := tasks.New(r.deps)
	r.must(board.Start(r.t.Context()))
	r.t.Cleanup(func() { _ = board.Close(context.Background()) })
	return board
}

// write changes a file of a project as a person does; "" deletes it.
func (r *rig) write(project core.ID, path, content string) {
	r.t.Helper()
	change := core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}
	if content == "" {
		change = core.FileChange{Op: core.OpDelete, Path: core.MustPath(path)}
	}
	results, err := r.pipeline.Apply(r.t.Context(), project, core.Author{Kind: core.AuthorUser, Name: "Ann"}, []core.FileChange{change}, nil)
	r.must(err)
	r.must(results[0].Err)
}

func (r *rig) read(project core.ID, path string) string {
	r.t.Helper()
	text, err := contentOf(r.t.Context(), r.pipeline, project, path)
	r.must(err)
	return text
}

// contentOf is the text of a file, "" if there is none.
func contentOf(ctx context.Context, pipeline *files.Pipeline, project core.ID, path string) (string, error) {
	file, err := pipeline.Open(ctx, core.FileAt{Project: project, Path: core.MustPath(path)})
	if core.IsCode(err, core.CodeNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	content := make([]byte, file.Info().Size)
	_, err = file.Read(content)
	if len(content) == 0 {
		err = nil
	}
	return string(content), err
}

// begin begins a task and ends its run as the agent would.
func (r *rig) begin(board *tasks.Board, title string) tasks.View {
	r.t.Helper()
	task, err := board.Begin(r.t.Context(), r.member, r.project, tasks.Draft{Content: title})
	r.must(err)
	r.endRuns(*task.CopyID, core.TaskComplete{Reason: core.ReasonDone})
	return r.get(board, task.ID)
}

// endRuns ends the runs of a project, and returns their messages.
func (r *rig) endRuns(project core.ID, last core.Payload) (said []string) {
	r.t.Helper()
	tables := r.deps.Store.Tables()
	for {
		run, err := tables.Runs.Claim(r.t.Context(), "agent", core.At(time.Now().Add(time.Hour)), nil)
		if core.IsCode(err, core.CodeNotFound) {
			return said
		}
		r.must(err)
		said = append(said, run.Text)
		_, err = tables.Runs.Update(r.t.Context(), run.ID, func(stored *core.Run) error {
			stored.Status = core.RunEnded
			return nil
		})
		r.must(err)
		_, err = tables.Events.Append(r.t.Context(), run.ChatID, core.At(time.Now()), []core.Payload{last})
		r.must(err)
	}
}

func (r *rig) get(board *tasks.Board, id core.ID) tasks.View {
	r.t.Helper()
	view, err := board.Get(r.t.Context(), r.member, r.project, id)
	r.must(err)
	return view
}

// await waits, by the notices of the board, until a task is what is wanted.
func (r *rig) await(board *tasks.Board, id core.ID, what string, is func(tasks.View) bool) tasks.View {
	r.t.Helper()
	ctx := conformance.Bounded(r.t)
	notices, err := r.deps.Bus.Follow(ctx, r.project)
	r.must(err)
	for {
		view := r.get(board, id)
		if is(view) {
			return view
		}
		select {
		case <-notices:
		case <-ctx.Done():
			r.t.Fatalf("got %+v, want it %s", view, what)
		}
	}
}

// lookers are checks: each file of the folder of checks names a file and what it must say.
type lookers struct {
	pipeline *files.Pipeline
	store    storage.Store
	now      func() time.Time

	mu sync.Mutex
	// absent says that there is no browser. wrong is what every play fails with.
	absent bool
	wrong  error
	// played are the projects whose checks were played, in order.
	played []core.ID
	// again are the checks that were played once more.
	again []string
	// meanwhile, if set, is called while checks are played.
	meanwhile func(ctx context.Context, project core.ID)
}

// keep adds a check to a project: the file at path must say text.
func (r *rig) keep(project core.ID, name, path, text string) {
	r.t.Helper()
	r.write(project, core.CheckFolder+"/"+name+".json", path+"\n"+text)
}

// Has implements tasks.Checks.
func (l *lookers) Has(ctx context.Context, project core.ID) (bool, error) {
	found, err := l.all(ctx, project)
	return len(found) > 0, err
}

func (l *lookers) all(ctx context.Context, project core.ID) (map[string]core.ProjectPath, error) {
	listing, err := l.pipeline.List(ctx, project)
	if err != nil {
		return nil, err
	}
	found := map[string]core.ProjectPath{}
	for _, entry := range listing.Entries {
		if name, is := core.CheckNameOf(entry.Path); is {
			found[name] = entry.Path
		}
	}
	return found, nil
}

// Play implements tasks.Checks.
func (l *lookers) Play(ctx context.Context, project core.ID, tell func(checks.Result) error) ([]checks.Result, error) {
	l.mu.Lock()
	l.played = append(l.played, project)
	absent, wrong, meanwhile := l.absent, l.wrong, l.meanwhile
	l.mu.Unlock()
	if absent || wrong != nil {
		return nil, wrong
	}
	found, err := l.all(ctx, project)
	if err != nil {
		return nil, err
	}
	results := []checks.Result{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		result, err := l.look(ctx, project, name, found[name].String())
		if err != nil {
			return nil, err
		}
		results = append(results, result)
		if err := tell(result); err != nil {
			return nil, err
		}
	}
	if meanwhile != nil {
		meanwhile(ctx, project)
	}
	return results, ctx.Err()
}

// Again implements tasks.Checks.
func (l *lookers) Again(ctx context.Context, project core.ID, names []string) ([]checks.Result, error) {
	l.mu.Lock()
	l.again = append(l.again, names...)
	l.mu.Unlock()
	found, err := l.all(ctx, project)
	results := []checks.Result{}
	for _, name := range names {
		if path, has := found[name]; has && err == nil {
			var result checks.Result
			result, err = l.look(ctx, project, name, path.String())
			results = append(results, result)
		}
	}
	return results, err
}

func (l *lookers) look(ctx context.Context, project core.ID, name, file string) (checks.Result, error) {
	check, err := contentOf(ctx, l.pipeline, project, file)
	if err != nil {
		return checks.Result{}, err
	}
	path, want, _ := strings.Cut(check, "\n")
	got, err := contentOf(ctx, l.pipeline, project, path)
	if err != nil {
		return checks.Result{}, err
	}
	result := checks.Result{Name: name, Title: "About " + name, Passed: got == want}
	if !result.Passed {
		result.Step, result.Message = 1, path+" says "+got
	}
	return result, l.store.Tables().CheckOutcomes.Put(ctx, core.CheckOutcome{
		ProjectID: project, Name: name, Passed: result.Passed, Message: result.Message, PlayedAt: core.At(l.now()),
	}, nil)
}

// where tells how often checks were played in the project and elsewhere.
func (l *lookers) where(project core.ID) (there, elsewhere int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, played := range l.played {
		if played == project {
			there++
		} else {
			elsewhere++
		}
	}
	return there, elsewhere
}
