package chat_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/storage"
)

// room is a project with a chat, a scripted model, and one member.
type room struct {
	// chosen, if set, is returned for every choice.
	chosen *chat.Choice
	t      *testing.T
	store  *memory.Store
	// front, if set, wraps store for the services.
	front storage.Store
	// to, when set, is where the services log.
	to    *slog.Logger
	bus   *memory.Bus
	model *memory.Model
	// answers, if set, wraps model.
	answers ai.Provider
	// known are the model's known capabilities.
	known core.ProviderCapabilities
	// owned are people's own subscriptions.
	owned    map[core.ID]*memory.Model
	projects *fakeProjects
	choose   error
	// wanted are the models that messages asked for.
	wanted  []string
	service *chat.Service
	// models, if set, wraps answers.
	models chat.Models
	// several says that other processes use the database.
	several bool
	member  core.Actor
	project core.Project
	chat    core.Chat
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{
		t: t, store: memory.NewStore(), bus: memory.NewBus(), model: memory.NewModel(core.Model{ID: "m"}), projects: &fakeProjects{},
		member: core.Actor{UserID: core.NewID()},
	}
	tables, now := r.store.Tables(), core.At(time.Now())
	workspace := core.Workspace{ID: core.NewID(), Name: "w", Slug: "w", CreatedAt: now, UpdatedAt: now}
	r.project = core.Project{ID: core.NewID(), WorkspaceID: workspace.ID, Slug: "p", Name: "p", Visibility: core.VisibilityWorkspace, CreatedBy: r.member.UserID, CreatedAt: now, UpdatedAt: now}
	r.chat = core.Chat{ID: core.NewID(), ProjectID: r.project.ID, Title: "New chat", Mode: core.ModeBuild, IsDefault: true, CreatedAt: now, UpdatedAt: now}
	must(t, tables.Users.Create(t.Context(), core.User{ID: r.member.UserID, Email: "m@example.com", CreatedAt: now}))
	must(t, tables.Workspaces.Create(t.Context(), workspace))
	must(t, tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: workspace.ID, UserID: r.member.UserID, Role: core.RoleMember, JoinedAt: now}))
	must(t, tables.Projects.Create(t.Context(), r.project))
	must(t, tables.Chats.Create(t.Context(), r.chat))
	r.service = r.open()
	return r
}

// open makes another service on the same database and bus.
func (r *room) open() *chat.Service {
	log, store := cmp.Or(r.to, slog.New(slog.DiscardHandler)), storage.Store(r.store)
	if r.front != nil {
		store = r.front
	}
	chooses := chat.Models(models{r})
	if r.models != nil {
		chooses = r.models
	}
	service := chat.New(chat.Deps{
		Store: store, Gate: access.NewGate(store), Bus: r.bus, Agent: agent.New(log), Models: chooses, Projects: r.projects,
		Log: log, Now: time.Now, Exclusive: core.SoleProcess(!r.several),
	})
	r.t.Cleanup(func() { _ = service.Close(context.Background()) })
	return service
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// models answers every choice with the room's model.
type models struct{ r *room }

func (m models) Choose(_ context.Context, _ core.ID, wanted string) (chat.Choice, error) {
	m.r.wanted = append(m.r.wanted, wanted)
	if m.r.chosen != nil {
		return *m.r.chosen, nil
	}
	if m.r.answers != nil {
		return chat.Choice{Provider: m.r.answers, Model: "m", Capabilities: m.r.known}, m.r.choose
	}
	return chat.Choice{Provider: m.r.model, Model: "m"}, m.r.choose
}

func (m models) ChooseOwn(_ context.Context, person core.ID, _ string) (chat.Choice, error) {
	return chat.Choice{Provider: m.r.owned[person], Model: "own", Own: true}, nil
}

func (m models) CheckOwn(_ context.Context, person core.ID) error {
	if m.r.owned[person] == nil {
		return core.Errorf(core.CodeNoProvider, "no subscription")
	}
	return nil
}

func (m models) Brush(context.Context, core.Run, chat.Choice) *agent.Brush { return nil }

func (m models) Meter(core.Run, chat.Choice) agent.Meter { return freeMeter{} }

type freeMeter struct{}

func (freeMeter) Reserve(context.Context, core.Usage) error           { return nil }
func (freeMeter) Within(core.Usage) error                             { return nil }
func (freeMeter) Settle(context.Context, core.Usage) (float64, error) { return 0, nil }

// fakeProjects is a project without files that counts its commits.
type fakeProjects struct {
	mu        sync.Mutex
	changed   bool
	untouched bool
	commits   []string
	// files are what can be read.
	files map[string]string
	// apart is what was committed as edits by hand.
	apart []string
	// caughtUp are the projects whose disk was checked after a crash.
	caughtUp []core.ID
}

func (p *fakeProjects) Open(core.Run) tools.Project { return p }

func (p *fakeProjects) Untouched(context.Context, core.ID) (bool, error) { return p.untouched, nil }

func (p *fakeProjects) Commit(_ context.Context, _ core.Run, message string) (core.Version, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.changed {
		return core.Version{}, false, nil
	}
	p.changed = false
	p.commits = append(p.commits, message)
	return core.Version{ID: "abc", FilesChanged: 1}, true, nil
}

func (p *fakeProjects) CommitByHand(ctx context.Context, _ core.ID, paths []core.ProjectPath, except files.Exclusion) error {
	others, err := except(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.apart = append(p.apart, fmt.Sprint(paths, " except ", others))
	return nil
}

func (p *fakeProjects) CatchUp(_ context.Context, project core.ID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.caughtUp = append(p.caughtUp, project)
	return nil
}

func (p *fakeProjects) List(context.Context) ([]core.FileEntry, error) { return nil, nil }

func (p *fakeProjects) Read(_ context.Context, path core.ProjectPath) ([]byte, string, error) {
	if content, found := p.files[path.String()]; found {
		return []byte(content), `"x"`, nil
	}
	return nil, "", core.NotFound("file")
}

func (p *fakeProjects) Apply(context.Context, core.FileChange, string) (tools.ChangeResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = true
	return tools.ChangeResult{Action: core.FileCreated}, nil
}

func (p *fakeProjects) Search(context.Context, search.Query) (search.Found, error) {
	return search.Found{}, nil
}

func (p *fakeProjects) Run(context.Context, string) (string, []core.FileChanged, error) {
	return "", nil, nil
}

func (p *fakeProjects) Network(context.Context) string { return "" }

func (p *fakeProjects) Check(context.Context) (wrong, warnings []core.Diagnostic, err error) {
	return nil, nil, nil
}
func (p *fakeProjects) Syntax(context.Context, core.ProjectPath, []byte) ([]core.Diagnostic, error) {
	return nil, nil
}

func (p *fakeProjects) Console(context.Context) ([]string, error) { return nil, nil }

func (p *fakeProjects) Query(context.Context, string) (backend.Table, error) {
	return backend.Table{}, nil
}

func (p *fakeProjects) Request(context.Context, tools.BackendRequest) (tools.BackendResponse, error) {
	return tools.BackendResponse{}, nil
}

func (p *fakeProjects) Calls(context.Context, bool) ([]core.BackendCall, error) {
	return nil, errors.New("no backend")
}

func (p *fakeProjects) Schema(context.Context) (tools.SchemaState, error) {
	return tools.SchemaState{}, core.NotFound("backend")
}

// recorder keeps the events that a stream sent.
type recorder struct {
	mu     sync.Mutex
	events []core.Event
	seen   chan core.Event
}

func newRecorder() *recorder { return &recorder{seen: make(chan core.Event, 10_000)} }

func (r *recorder) emit(event core.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event)
	r.seen <- event
	return nil
}

// until waits for an event of the type.
func (r *recorder) until(t *testing.T, kind core.EventType) core.Event {
	t.Helper()
	for {
		if event := conformance.Await(t, string(kind), r.seen); event.Payload.EventType() == kind {
			return event
		}
	}
}

func types(events []core.Event) string {
	var names []string
	for _, event := range events {
		names = append(names, string(event.Payload.EventType()))
	}
	return strings.Join(names, " ")
}

// text joins the deltas of the answer.
func text(events []core.Event) string {
	var b strings.Builder
	for _, event := range events {
		if delta, ok := event.Payload.(core.MessageDelta); ok {
			b.WriteString(delta.Delta)
		}
	}
	return b.String()
}

func (r *room) send(text string) (*recorder, error) {
	recorder := newRecorder()
	err := r.service.Send(r.t.Context(), r.member, r.project.ID, chat.Message{ChatID: r.chat.ID, Text: text}, recorder.emit)
	return recorder, err
}

// follow streams the chat's events after a seq to emit.
func (r *room) follow(after int64, emit func(core.Event) error) error {
	follower, err := r.service.Follow(r.t.Context(), r.member, r.project.ID, r.chat.ID, after)
	if err != nil {
		return err
	}
	return follower.Run(r.t.Context(), emit)
}

// log reads the chat's whole log.
func (r *room) log() []core.Event {
	r.t.Helper()
	events, err := r.store.Tables().Events.Read(r.t.Context(), r.chat.ID, storage.EventRange{Limit: 10_000})
	must(r.t, err)
	return events
}

func (r *room) checkLog(want string) {
	r.t.Helper()
	events := r.log()
	for i, event := range events {
		if event.Seq != int64(i+1) {
			r.t.Fatalf("got seq %d at place %d, want no gap", event.Seq, i+1)
		}
	}
	if got := types(events); got != want {
		r.t.Fatalf("got  %s\nwant %s", got, want)
	}
}

func TestSendStreamsARunFromItsMessageToItsLastEvent(t *testing.T) {
	r := newRoom(t)
	r.model.Call("write_file", `{"path":"a","content":"x"}`).Say("Done.")
	recorder, err := r.send("Add a file\nplease")
	must(t, err)
	want := "user.message tool.call session.usage_info file.changed tool.result assistant.message_delta session.usage_info assistant.message session.step version.created session.task_complete"
	if got := types(recorder.events); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	r.checkLog(want)
	if len(r.projects.commits) != 1 || r.projects.commits[0] != "Add a" {
		t.Fatalf("got the commits %q, want one named by what it changed", r.projects.commits)
	}
	r.wantChanged(1)
	r.model.Say("Hello.")
	_, err = r.send("Hello")
	must(t, err)
	r.wantChanged(0)
}

// wantChanged checks how many files the last run says that it changed.
func (r *room) wantChanged(want int) {
	r.t.Helper()
	events := r.log()
	complete, is := events[len(events)-1].Payload.(core.TaskComplete)
	if !is || complete.Changed == nil || *complete.Changed != want {
		r.t.Errorf("got the end %+v, want %d files changed", events[len(events)-1].Payload, want)
	}
}

func TestWhoeverReadTheLastEventMayWriteAgain(t *testing.T) {
	r := newRoom(t)
	for range 20 {
		r.model.Say("ok")
		_, err := r.send("again")
		must(t, err)
	}
}

func TestManyDeltasKeepTheirText(t *testing.T) {
	r := newRoom(t)
	var pieces []string
	for i := range 3000 {
		pieces = append(pieces, strings.Repeat(string(rune('a'+i%26)), 1+i%7))
	}
	r.model.Say(pieces...)
	recorder, err := r.send("write")
	must(t, err)
	want := strings.Join(pieces, "")
	if text(recorder.events) != want || text(r.log()) != want {
		t.Fatal("the streamed or the stored text differs from what the model said")
	}
}

func TestASecondMessageToABusyChatIsRefused(t *testing.T) {
	r := newRoom(t)
	r.model.Hang()
	go func() { _, _ = r.send("first") }()
	<-r.model.Called()
	if _, err := r.send("second"); !core.IsCode(err, core.CodeChatBusy) {
		t.Fatalf("got %v, want chat_busy", err)
	}
	if chats, err := r.service.List(t.Context(), r.member, r.project.ID); err != nil || !chats[0].Running {
		t.Fatalf("got %+v, %v, want a running chat", chats, err)
	}
	must(t, r.service.Stop(t.Context(), r.member, r.project.ID, r.chat.ID))
}

func TestClosingTheStreamCancelsTheRunAndKeepsItsWork(t *testing.T) {
	r := newRoom(t)
	r.model.Call("write_file", `{"path":"a","content":"x"}`).Hang(ai.Chunk{Text: "Now I"})
	ctx, cancel := context.WithCancel(t.Context())
	recorder, follower := newRecorder(), newRecorder()
	done := make(chan error, 2)
	go func() {
		done <- r.service.Send(ctx, r.member, r.project.ID, chat.Message{ChatID: r.chat.ID, Text: "go"}, recorder.emit)
	}()
	recorder.until(t, core.EventMessageDelta)
	go func() {
		done <- r.follow(0, follower.emit)
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	if got := follower.until(t, core.EventTaskComplete).Payload.(core.TaskComplete).Reason; got != core.ReasonStopped {
		t.Fatalf("got %v, want stopped", got)
	}
	if len(r.projects.commits) != 1 {
		t.Fatalf("got %d commits, want the work kept", len(r.projects.commits))
	}
}

func TestADetachedRunOutlivesItsStream(t *testing.T) {
	r := newRoom(t)
	gate := make(chan struct{})
	r.model.Script(memory.ModelAnswer{Chunks: []ai.Chunk{{Text: "one "}, {Text: "two"}}, Gate: gate})
	ctx, cancel := context.WithCancel(t.Context())
	recorder := newRecorder()
	done := make(chan error, 1)
	go func() {
		message := chat.Message{ChatID: r.chat.ID, Text: "go", Detach: true}
		done <- r.service.Send(ctx, r.member, r.project.ID, message, recorder.emit)
	}()
	gate <- struct{}{}
	last := recorder.until(t, core.EventMessageDelta)
	cancel()
	<-done
	close(gate)
	rest := newRecorder()
	must(t, r.follow(last.Seq, rest.emit))
	if got := text(recorder.events) + text(rest.events); got != "one two" {
		t.Fatalf("got %q from the two streams together, want all of it once", got)
	}
	r.checkLog(types(recorder.events) + " " + types(rest.events))
}

func TestStopEndsTheRunFromAnotherProcess(t *testing.T) {
	r := newRoom(t)
	other := r.open()
	r.model.Hang()
	recorder := newRecorder()
	done := make(chan error, 1)
	go func() {
		done <- r.service.Send(t.Context(), r.member, r.project.ID, chat.Message{ChatID: r.chat.ID, Text: "go"}, recorder.emit)
	}()
	<-r.model.Called()
	must(t, other.Stop(t.Context(), r.member, r.project.ID, r.chat.ID))
	must(t, <-done)
	if got := recorder.events[len(recorder.events)-1].Payload; !isStopped(got) {
		t.Fatalf("got %+v, want stopped", got)
	}
	must(t, other.Stop(t.Context(), r.member, r.project.ID, r.chat.ID))
}

func TestARunThatAnotherProcessGoesOnWithWritesNoMore(t *testing.T) {
	r := newRoom(t)
	r.several = true
	halted := r.open()
	gate := make(chan struct{})
	r.model.Script(memory.ModelAnswer{Chunks: []ai.Chunk{{Text: "late"}}, Gate: gate})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	go func() {
		_ = halted.Send(ctx, r.member, r.project.ID, chat.Message{ChatID: r.chat.ID, Text: "go"}, newRecorder().emit)
	}()
	<-r.model.Called()
	runs := r.store.Tables().Runs
	busy, err := runs.Busy(t.Context(), r.chat.ID)
	must(t, err)
	_, err = runs.Update(t.Context(), busy.ID, func(run *core.Run) error { run.Owner = "another"; return nil })
	must(t, err)
	before := types(r.log())
	close(gate)
	must(t, halted.Close(t.Context()))
	if got := types(r.log()); got != before {
		t.Errorf("got the log %s, want it as it was: %s", got, before)
	}
	if run, err := runs.ByID(t.Context(), busy.ID); err != nil || run.Status != core.RunRunning {
		t.Errorf("got %+v, %v, want the run left to the other", run, err)
	}
}

func TestAFollowerReplaysAndThenFollows(t *testing.T) {
	r := newRoom(t)
	r.model.Say("first")
	_, err := r.send("one")
	must(t, err)
	<-r.model.Called()
	gate := make(chan struct{})
	r.model.Script(memory.ModelAnswer{Chunks: []ai.Chunk{{Text: "second"}}, Gate: gate})
	go func() { _, _ = r.send("two") }()
	<-r.model.Called()
	followers := []*recorder{newRecorder(), newRecorder(), newRecorder()}
	var all sync.WaitGroup
	for i, f := range followers {
		all.Go(func() {
			if err := r.follow(int64(2*i), f.emit); err != nil {
				t.Error(err)
			}
		})
	}
	followers[0].until(t, core.EventTaskComplete)
	close(gate)
	all.Wait()
	log := r.log()
	for i, f := range followers {
		if got, want := types(f.events), types(log[2*i:]); got != want {
			t.Errorf("follower %d got  %s\nwant %s", i, got, want)
		}
	}
}

func TestFollowingAnIdleChatReplaysAndEnds(t *testing.T) {
	r := newRoom(t)
	recorder := newRecorder()
	must(t, r.follow(0, recorder.emit))
	if len(recorder.events) != 0 {
		t.Fatalf("got %s, want nothing", types(recorder.events))
	}
}

func TestTheFailuresOfARunAreItsLastEvent(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*room)
		want    core.Code
	}{
		"no provider":       {func(r *room) { r.choose = core.Errorf(core.CodeNoProvider, "none") }, core.CodeNoProvider},
		"credit":            {func(r *room) { r.choose = core.Errorf(core.CodeCreditExhausted, "none") }, core.CodeCreditExhausted},
		"model unavailable": {func(r *room) { r.model.Fail(core.Errorf(core.CodeModelUnavailable, "down")) }, core.CodeModelUnavailable},
		"anything else":     {func(r *room) { r.choose = errors.New("secret detail") }, core.CodeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			c.prepare(r)
			recorder, err := r.send("go")
			must(t, err)
			last, ok := recorder.events[len(recorder.events)-1].Payload.(core.SessionError)
			if !ok || last.Error != c.want || strings.Contains(last.Message, "secret") {
				t.Fatalf("got %+v, want %s", recorder.events[len(recorder.events)-1].Payload, c.want)
			}
			r.choose = nil
			r.model.Say("better")
			_, err = r.send("again")
			must(t, err)
		})
	}
}

// TestAFailureTellsWhenToTryAgain, where the vendor said so.
func TestAFailureTellsWhenToTryAgain(t *testing.T) {
	r := newRoom(t)
	busy := core.Errorf(core.CodeModelUnavailable, "too many requests")
	busy.RetryAfter = 5 * time.Minute
	r.model.Fail(&ai.Failure{Err: busy, Temporary: true})
	before := core.At(time.Now())
	recorder, err := r.send("go")
	must(t, err)
	last := recorder.events[len(recorder.events)-1]
	failed, is := last.Payload.(core.SessionError)
	if wait := 5 * time.Minute; !is || failed.RetryAt < core.At(before.Std().Add(wait)) || failed.RetryAt > core.At(last.CreatedAt.Std().Add(wait)) {
		t.Errorf("got %+v at %v, want a time in five minutes", last.Payload, last.CreatedAt)
	}
}

func (r *room) queue() core.Run {
	r.t.Helper()
	run := core.Run{
		ID: core.NewID(), ChatID: r.chat.ID, ProjectID: r.project.ID, WorkspaceID: r.project.WorkspaceID, UserID: r.member.UserID,
		Status: core.RunQueued, Text: "from the queue", Detached: true, CreatedAt: core.At(time.Now()),
	}
	must(r.t, r.store.Tables().Runs.Create(r.t.Context(), run))
	return run
}

func TestAQueuedRunBeginsWithoutAClient(t *testing.T) {
	r := newRoom(t)
	r.queue()
	r.model.Say("done")
	must(t, r.service.Start(t.Context()))
	recorder := newRecorder()
	must(t, r.follow(0, recorder.emit))
	r.checkLog("user.message assistant.message_delta session.usage_info assistant.message session.task_complete")
	if got := r.log()[0].Payload.(core.UserMessage).Text; got != "from the queue" {
		t.Fatalf("got %q, want the queued text", got)
	}
}

func TestStopEndsAQueuedRunBeforeItBegins(t *testing.T) {
	r := newRoom(t)
	r.queue()
	must(t, r.service.Stop(t.Context(), r.member, r.project.ID, r.chat.ID))
	r.checkLog("user.message session.task_complete")
}

func TestWhatACrashCutOffEndsAsInterruptedAtTheNextStart(t *testing.T) {
	r := newRoom(t)
	run := r.cutOff(false)
	r.projects.changed = true
	must(t, r.service.Start(t.Context()))
	r.checkLog("version.created session.error")
	if last := r.log()[1].Payload.(core.SessionError); last.Error != core.CodeInterrupted {
		t.Fatalf("got %+v, want interrupted", last)
	}
	if ended, err := r.store.Tables().Runs.ByID(t.Context(), run.ID); err != nil || ended.Busy() {
		t.Fatalf("got %+v, %v, want an ended run", ended, err)
	}
	r.model.Say("fresh")
	_, err := r.send("next")
	must(t, err)
}

// cutOff leaves a run behind whose process died before its first model call.
func (r *room) cutOff(detached bool) core.Run {
	r.t.Helper()
	run := r.queue()
	_, err := r.store.Tables().Runs.Claim(r.t.Context(), "a dead process", core.At(time.Now().Add(time.Hour)), nil)
	must(r.t, err)
	_, err = r.store.Tables().Runs.Update(r.t.Context(), run.ID, func(run *core.Run) error {
		run.Detached = detached
		return nil
	})
	must(r.t, err)
	return run
}

func TestCloseEndsRunsAsInterrupted(t *testing.T) {
	r := newRoom(t)
	r.model.Hang(ai.Chunk{Text: "half"})
	recorder := newRecorder()
	done := make(chan error, 1)
	go func() {
		done <- r.service.Send(t.Context(), r.member, r.project.ID, chat.Message{ChatID: r.chat.ID, Text: "go"}, recorder.emit)
	}()
	recorder.until(t, core.EventMessageDelta)
	must(t, r.service.Close(t.Context()))
	must(t, <-done)
	if last, ok := recorder.events[len(recorder.events)-1].Payload.(core.SessionError); !ok || last.Error != core.CodeInterrupted {
		t.Fatalf("got %s, want interrupted at the end", types(recorder.events))
	}
	if _, err := r.send("late"); !core.IsCode(err, core.CodeUnavailable) {
		t.Fatalf("got %v, want unavailable after the close", err)
	}
}

func TestChatsAreForMembersOnlyWhateverTheVisibility(t *testing.T) {
	r := newRoom(t)
	_, err := r.store.Tables().Projects.Update(t.Context(), r.project.ID, func(p *core.Project) error {
		p.Visibility = core.VisibilityPublic
		return nil
	})
	must(t, err)
	stranger := core.Actor{UserID: core.NewID()}
	if _, err := r.service.List(t.Context(), stranger, r.project.ID); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want not_found for a reader of a public project", err)
	}
	if err := r.service.Stop(t.Context(), stranger, r.project.ID, r.chat.ID); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want not_found", err)
	}
	token := core.Actor{UserID: r.member.UserID, Token: true, Scopes: []core.Scope{core.ScopeFilesWrite}}
	if _, err := r.service.List(t.Context(), token, r.project.ID); !core.IsCode(err, core.CodeInsufficientScope) {
		t.Errorf("got %v, want insufficient_scope", err)
	}
}

func TestTheLastChatStays(t *testing.T) {
	r := newRoom(t)
	if err := r.service.Delete(t.Context(), r.member, r.project.ID, r.chat.ID); !core.IsCode(err, core.CodeConflict) {
		t.Fatalf("got %v, want conflict", err)
	}
	second, err := r.service.Create(t.Context(), r.member, r.project.ID, chat.NewChat{Mode: core.ModePlan})
	must(t, err)
	must(t, r.service.Delete(t.Context(), r.member, r.project.ID, r.chat.ID))
	chats, err := r.service.List(t.Context(), r.member, r.project.ID)
	if err != nil || len(chats) != 1 || chats[0].ID != second.ID || !chats[0].IsDefault {
		t.Fatalf("got %+v, %v, want the second chat as the default", chats, err)
	}
}

func TestAChatOfAnotherProjectIsNotFound(t *testing.T) {
	r := newRoom(t)
	other := r.project
	other.ID, other.Slug = core.NewID(), "other"
	must(t, r.store.Tables().Projects.Create(t.Context(), other))
	title := "mine"
	if _, err := r.service.Update(t.Context(), r.member, other.ID, r.chat.ID, chat.Changes{Title: &title}); !core.IsCode(err, core.CodeNotFound) {
		t.Fatalf("got %v, want not_found", err)
	}
}

func TestHistoryPagesInBothDirections(t *testing.T) {
	r := newRoom(t)
	for range 3 {
		r.model.Say("ok")
		_, err := r.send("go")
		must(t, err)
	}
	all := len(r.log())
	newest, more, err := r.service.History(t.Context(), r.member, r.project.ID, r.chat.ID, storage.EventRange{Limit: 4, Newest: true})
	if err != nil || !more || len(newest) != 4 || newest[3].Seq != int64(all) {
		t.Fatalf("got %d events, more %v, %v, want the newest four", len(newest), more, err)
	}
	after, more, err := r.service.History(t.Context(), r.member, r.project.ID, r.chat.ID, storage.EventRange{After: int64(all - 2), Limit: 4})
	if err != nil || more || len(after) != 2 {
		t.Fatalf("got %d events, more %v, %v, want the last two", len(after), more, err)
	}
}

// isStopped reports whether a payload ends a run that somebody stopped.
func isStopped(payload core.Payload) bool {
	complete, is := payload.(core.TaskComplete)
	return is && complete.Reason == core.ReasonStopped
}
