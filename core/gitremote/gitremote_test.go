package gitremote_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/gitremote"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// wire answers every call, and hands out one push.
type wire struct {
	push  *push
	calls []string
}

func (w *wire) Advertise(_ context.Context, _ core.ID, service vcs.Service, to io.Writer) error {
	w.calls = append(w.calls, string(service))
	_, err := io.WriteString(to, "refs")
	return err
}

func (w *wire) Upload(_ context.Context, _ core.ID, from io.Reader, to io.Writer) error {
	_, err := io.Copy(to, from)
	return err
}

func (w *wire) Receive(_ context.Context, _ core.ID, _ io.Reader, limits vcs.Limits) (vcs.Push, error) {
	if limits.PackBytes != gitremote.MaxPackBytes || limits.FileBytes != 100 {
		return nil, errors.New("other limits")
	}
	return w.push, nil
}

// push is a push that reports its outcome as text.
type push struct {
	arrival vcs.Arrival
	refused error
	closed  bool
}

func (p *push) Arrival() (vcs.Arrival, error) { return p.arrival, p.refused }
func (p *push) Adopt(context.Context) error   { return nil }
func (p *push) Close() error                  { p.closed = true; return nil }

func (p *push) Report(to io.Writer, outcome error) error {
	text := "ok"
	if outcome != nil {
		text = outcome.Error()
	}
	_, err := io.WriteString(to, text)
	return err
}

// stage is a project of Ann's that Eve does not see.
type stage struct {
	*gitremote.Service
	wire     *wire
	store    storage.Store
	project  core.ID
	chat     core.Chat
	ann, eve core.Actor
}

func newStage(t *testing.T) *stage {
	t.Helper()
	trees, store := memory.NewTrees(), memory.NewStore()
	s := &stage{wire: &wire{}, store: store, project: core.NewID(), ann: core.Actor{UserID: core.NewID()}, eve: core.Actor{UserID: core.NewID()}}
	pipeline := files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(trees), Store: store, Bus: memory.NewBus(), Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(),
		Search: memory.NewSearch(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	rows, created := pipeline.Create(t.Context(), s.project, fstest.MapFS{"a": {Data: []byte("a")}}, vcs.Commit{Message: "First"})
	workspace := core.NewID()
	s.chat = core.Chat{ID: core.NewID(), ProjectID: s.project, Title: "Talk", Mode: core.ModeBuild}
	err := store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
		err := errors.Join(created,
			tables.Users.Create(ctx, core.User{ID: s.ann.UserID, Email: "ann@example.com"}),
			tables.Workspaces.Create(ctx, core.Workspace{ID: workspace, Name: "Team", Slug: "team"}),
			tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: workspace, UserID: s.ann.UserID, Role: core.RoleMember}),
			tables.Projects.Create(ctx, core.Project{ID: s.project, WorkspaceID: workspace, Slug: "shop", Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: s.ann.UserID}),
		)
		_, applied := tables.Files.Apply(ctx, s.project, storage.FileDelta{Put: rows})
		return errors.Join(err, applied, tables.Chats.Create(ctx, s.chat))
	})
	if err != nil {
		t.Fatal(err)
	}
	versions, err := pipeline.Versions(t.Context(), s.project, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	s.wire.push = &push{arrival: vcs.Arrival{From: versions[0].ID, To: versions[0].ID}}
	s.Service = gitremote.New(gitremote.Deps{Gate: access.NewGate(store), Store: store, Arrivals: pipeline.Arrivals, Wire: s.wire, MaxFileBytes: 100, Log: slog.New(slog.DiscardHandler)})
	return s
}

// receive pushes as somebody and returns the report.
func (s *stage) receive(t *testing.T, by core.Actor) (string, error) {
	t.Helper()
	var out strings.Builder
	err := s.Receive(t.Context(), by, s.project, strings.NewReader(""), &out)
	return out.String(), err
}

func TestCallsThatAreForbiddenReachNoWire(t *testing.T) {
	s := newStage(t)
	reads := core.Actor{UserID: s.ann.UserID, Token: true, Scopes: []core.Scope{core.ScopeProjectsRead}}
	for name, c := range map[string]struct {
		by      core.Actor
		service vcs.Service
		want    core.Code
	}{
		"a stranger clones":         {s.eve, vcs.ServiceUpload, core.CodeNotFound},
		"a stranger pushes":         {s.eve, vcs.ServiceReceive, core.CodeNotFound},
		"a token that reads clones": {reads, vcs.ServiceUpload, ""},
		"a token that reads pushes": {reads, vcs.ServiceReceive, core.CodeInsufficientScope},
		"a member clones":           {s.ann, vcs.ServiceUpload, ""},
		"a member pushes":           {s.ann, vcs.ServiceReceive, ""},
	} {
		if err := s.Advertise(t.Context(), c.by, s.project, c.service, io.Discard); core.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want code %q", name, err, c.want)
		}
	}
	if len(s.wire.calls) != 3 {
		t.Errorf("got the calls %q, want the three that are allowed", s.wire.calls)
	}
	if err := s.Upload(t.Context(), s.eve, s.project, strings.NewReader("x"), io.Discard); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want code %s", err, core.CodeNotFound)
	}
	if _, err := s.receive(t, s.eve); !core.IsCode(err, core.CodeNotFound) || s.wire.push.closed {
		t.Errorf("got %v, want code %s and no push", err, core.CodeNotFound)
	}
}

func TestWhatBecomesOfAPushIsReported(t *testing.T) {
	s := newStage(t)
	if got, err := s.receive(t, s.ann); got != "ok" || err != nil || !s.wire.push.closed {
		t.Errorf("got %q, %v, want it taken and closed", got, err)
	}
	s.wire.push.refused = core.Errorf(core.CodeInvalidPath, "a bad path")
	if got, err := s.receive(t, s.ann); got != "invalid_path: a bad path" || err != nil {
		t.Errorf("got %q, %v, want the reason in the report", got, err)
	}
	s.wire.push.refused = nil
	s.wire.push.arrival.From = "another"
	if got, err := s.receive(t, s.ann); !strings.Contains(got, "fetch first") || err != nil {
		t.Errorf("got %q, %v, want fetch first", got, err)
	}
}

func TestNoPushComesBetweenTheAgentsSteps(t *testing.T) {
	s := newStage(t)
	run := core.Run{ID: core.NewID(), ChatID: s.chat.ID, ProjectID: s.project, UserID: s.ann.UserID, Status: core.RunQueued}
	if err := s.store.Tables().Runs.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if got, err := s.receive(t, s.ann); !strings.Contains(got, "the agent is working: try again when it is done") || err != nil {
		t.Errorf("got %q, %v, want it told to wait", got, err)
	}
}
