package chat_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/chat"
)

// begun returns the row of the room's run.
func (r *room) begun(run core.ID) core.Run {
	r.t.Helper()
	found, err := r.store.Tables().Runs.ByID(r.t.Context(), run)
	must(r.t, err)
	return found
}

func TestWhatARunChangedIsInItsRowTogetherWithTheLog(t *testing.T) {
	r := newRoom(t)
	run := r.cutOff(true)
	r.append(
		core.UserMessage{Text: "from the queue"}, core.ToolCall{ID: "2", Tool: "write_file", Args: []byte(`{"path":"a.txt","content":"a"}`)},
		core.UsageInfo{InputTokens: 1},
	)
	r.model.Say("Made.")
	r.ended()
	if got := fmt.Sprint(r.begun(run.ID).Changed); got != "[a.txt]" {
		t.Errorf("got %s, want the path that was written", got)
	}
}

func TestACommitHasTheLastChangeThatACrashLeftUntold(t *testing.T) {
	write := func(path, content string) core.FileChange {
		return core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}
	}
	const hash = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" // of "a"
	for name, c := range map[string]struct {
		change core.FileChange
		intent core.Intent
		want   int
	}{
		"a write that was made":     {write("a.txt", "a"), core.Intent{Op: core.OpWrite, Path: "a.txt", Hash: hash}, 1},
		"a write that was not made": {write("a.txt", "by hand"), core.Intent{Op: core.OpWrite, Path: "a.txt", Hash: hash}, 0},
		"a rename that was made": {
			core.FileChange{Op: core.OpRename, Path: core.MustPath("old.txt"), To: core.MustPath("new.txt")},
			core.Intent{Op: core.OpRename, Path: "old.txt", To: "new.txt"}, 2,
		},
		"a delete that was made": {core.FileChange{Op: core.OpDelete, Path: core.MustPath("old.txt")}, core.Intent{Op: core.OpDelete, Path: "old.txt"}, 1},
	} {
		b := newBench(t)
		_, err := b.open.Apply(t.Context(), c.change, "")
		must(t, err)
		_, err = b.open.Apply(t.Context(), write("mine.txt", "m"), "")
		must(t, err)
		run := core.Run{ID: core.NewID(), ProjectID: b.project, ChatID: core.NewID(), Intent: &c.intent}
		version, made, err := b.projects.Commit(t.Context(), run, "Go")
		if err != nil || made != (c.want > 0) || version.FilesChanged != c.want {
			t.Errorf("%s: got %+v, %v, %v, want a version of %d files", name, version, made, err, c.want)
		}
	}
}

// shared makes the room's service one of several processes.
func (r *room) shared() {
	log := slog.New(slog.DiscardHandler)
	r.service = chat.New(chat.Deps{
		Store: r.store, Gate: access.NewGate(r.store), Bus: r.bus, Agent: agent.New(log), Models: models{r}, Projects: r.projects,
		Picture: func(core.ID) {}, Log: log, Now: time.Now,
	})
	r.t.Cleanup(func() { _ = r.service.Close(context.Background()) })
}

func TestPeoplesEditsAreSetApartBeforeARunChangesThem(t *testing.T) {
	r := newRoom(t)
	r.shared()
	run := r.cutOff(true)
	_, err := r.store.Tables().Runs.Update(t.Context(), run.ID, func(run *core.Run) error {
		run.LeaseUntil = 1
		return nil
	})
	must(t, err)
	r.append(core.UserMessage{Text: "from the queue"},
		core.ToolCall{ID: "1", Tool: "write_file", Args: []byte(`{"path":"a.txt","content":"a"}`)},
		core.ToolCall{ID: "2", Tool: "write_file", Args: []byte(`{"path":"b/c.txt","content":"b"}`)},
		core.UsageInfo{InputTokens: 1})
	second := core.Chat{ID: core.NewID(), ProjectID: r.project.ID, Title: "Second", Mode: core.ModeBuild}
	must(t, r.store.Tables().Chats.Create(t.Context(), second))
	other := core.Run{
		ID: core.NewID(), ChatID: second.ID, ProjectID: r.project.ID, WorkspaceID: r.project.WorkspaceID, UserID: r.member.UserID, Status: core.RunRunning, Owner: "another", LeaseUntil: core.At(time.Now().Add(time.Hour)),
		Changed: []core.ProjectPath{core.MustPath("theirs")}, Intent: &core.Intent{Op: core.OpWrite, Path: "next"},
	}
	must(t, r.store.Tables().Runs.Create(t.Context(), other))
	r.model.Say("Made.")
	r.ended()
	want := "[[] except [theirs next] [b/c.txt] except [theirs next a.txt]]"
	if got := fmt.Sprint(r.projects.apart); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAVersionThatWasMadeBeforeACrashIsStillTheRuns(t *testing.T) {
	b := newBench(t)
	_, err := b.open.Apply(t.Context(), core.FileChange{Op: core.OpWrite, Path: core.MustPath("a.txt"), Content: []byte("a")}, "")
	must(t, err)
	run := core.Run{ID: core.NewID(), ProjectID: b.project, ChatID: core.NewID(), Changed: []core.ProjectPath{core.MustPath("a.txt")}, CreatedAt: core.At(time.Now())}
	first, made, err := b.projects.Commit(t.Context(), run, "Go")
	if err != nil || !made {
		t.Fatalf("got made %v, %v, want a version", made, err)
	}
	if again, made, err := b.projects.Commit(t.Context(), run, "Go"); err != nil || !made || again.ID != first.ID {
		t.Errorf("got %+v, %v, %v, want the version %s", again, made, err, first.ID)
	}
	later := run
	later.CreatedAt = run.CreatedAt.Add(2 * time.Second)
	other := run
	other.ChatID = core.NewID()
	for _, run := range []core.Run{later, other} {
		if again, made, err := b.projects.Commit(t.Context(), run, "Go"); err != nil || made {
			t.Errorf("got %+v, %v, %v, want none of another run", again, made, err)
		}
	}
}
