package projects_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// tenLines is a text in which changes can be distinguished.
const tenLines = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

// with returns tenLines with words replaced.
func with(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(tenLines) }

// perform serves a program whose model plays the scripts, and creates a project in it
// with the uncommitted files a.txt and b.txt.
func perform(p *storytest.Screenplay, t *testing.T, program storytest.Program) *storytest.Work {
	t.Helper()
	env := program.Env(t)
	merged := p.Env(t)
	for name, value := range env {
		merged[name] = value
	}
	w := storytest.Serve(t, t.TempDir(), program.Make, merged).SignUp().Create(storytest.Template)
	w.Put("a.txt", tenLines)
	w.Put("b.txt", tenLines)
	return w
}

func TestUndoTakesARunBackAndKeepsLaterEdits(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		p := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"Change both.": append(editing("a.txt", "two", "TWO"), editing("b.txt", "two", "TWO")...)}}
		w := perform(p, t, program)
		run := w.Run("Change both.")
		if got := changedIn(w, run); got != "a.txt b.txt" {
			t.Errorf("got a version of %q, want of the two files", got)
		}
		w.WantVersions("agent 2 Change a.txt and b.txt", "user 2 Edited by hand")
		w.Put("a.txt", with("two", "TWO", "nine", "NINE"))
		w.MustUndo(run, "Change both.", 2)
		w.WantFiles("a.txt", with("nine", "NINE"), "b.txt", tenLines)
		w.WantVersions("user 2 Undo: Change a.txt and b.txt", "user 1 Edited by hand", "agent 2 Change a.txt and b.txt", "user 2 Edited by hand")
		if got := undo(w, run); got.Code() != core.CodeConflict || !strings.Contains(string(got.Body), "nothing is left") {
			t.Errorf("once more: got %d %s, want conflict", got.Status, got.Body)
		}
	})
}

func TestUndoThatMeetsLaterEditsListsThemAndChangesNothing(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		script := append(editing("a.txt", "two\nthree", "TWO\nTHREE"), editing("b.txt", "two", "TWO")...)
		script = append(script, storytest.Calls("write_file", "path", "made.txt", "content", "made\n"), storytest.Calls("read_file", "path", "gone.txt"), storytest.Calls("delete_file", "path", "gone.txt"), storytest.Calls("read_file", "path", "old.txt"), storytest.Calls("rename_file", "from", "old.txt", "to", "new.txt"))
		w := perform((&storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"Go.": script}}), t, program)
		w.Put("gone.txt", "gone\n")
		w.Put("old.txt", "old\n")
		run := w.Run("Go.")
		if got := changedIn(w, run); got != "a.txt b.txt gone.txt made.txt new.txt old.txt" {
			t.Errorf("got a version of %q, want all six paths", got)
		}
		w.Put("a.txt", "zero\n"+with("two", "TWO", "three", "3"))
		w.Put("made.txt", "edited\n")
		w.Put("gone.txt", "back\n")
		before := w.Versions()
		got := undo(w, run)
		if got.Status != http.StatusConflict || got.Code() != core.CodeConflict {
			t.Fatalf("got %d %s, want conflict", got.Status, got.Body)
		}
		for _, want := range []string{"a.txt lines 3-4", "made.txt was made by this version", "gone.txt was deleted by this version"} {
			if !strings.Contains(string(got.Body), want) {
				t.Errorf("got %s, want %q in it", got.Body, want)
			}
		}
		if strings.Contains(string(got.Body), "b.txt") || strings.Contains(string(got.Body), "new.txt") {
			t.Errorf("got %s, want nothing about what could be undone", got.Body)
		}
		w.WantFiles("a.txt", "zero\n"+with("two", "TWO", "three", "3"), "b.txt", with("two", "TWO"), "made.txt", "edited\n", "gone.txt", "back\n", "new.txt", "old\n", "old.txt", "-")
		if after := w.Versions(); len(after) != len(before) {
			t.Errorf("got %d versions, want the %d from before", len(after), len(before))
		}
		w.Put("a.txt", "zero\n"+with("two", "TWO", "three", "THREE"))
		w.Put("made.txt", "made\n")
		w.Put("gone.txt", "gone\n")
		w.MustUndo(run, "Go.", 5)
		w.WantFiles("a.txt", "zero\n"+tenLines, "b.txt", tenLines, "made.txt", "-", "gone.txt", "gone\n", "new.txt", "-", "old.txt", "old\n")
	})
}

func TestUndoOfTheFirstOfTwoRunsKeepsTheSecond(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		w := perform((&storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{
			"First.":  append(editing("a.txt", "two", "TWO"), storytest.Calls("write_file", "path", "made/by/first.txt", "content", "1\n")),
			"Second.": append(editing("a.txt", "nine", "NINE"), storytest.Calls("write_file", "path", "made/by/second.txt", "content", "2\n")),
		}}), t, program)
		first, second := w.Run("First."), w.Run("Second.")
		w.MustUndo(first, "First.", 2)
		w.WantFiles("a.txt", with("nine", "NINE"), "made/by/first.txt", "-", "made/by/second.txt", "2\n")
		w.MustUndo(second, "Second.", 2)
		w.WantFiles("a.txt", tenLines, "made/by/second.txt", "-", "index.html", string(w.Do(http.MethodGet, w.Path("/files/index.html"), nil).Body))
	})
}

func TestWhatAPersonEditsDuringARunIsNotInItsVersion(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		script := []storytest.ToolCall{storytest.Calls("read_file", "path", "b.txt"), storytest.Calls("rename_file", "from", "b.txt", "to", "c.txt")}
		script = append(append(script, editing("a.txt", "two", "TWO")...), editing("late.txt", "two", "TWO")...)
		p := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"Go.": script}}
		var w *storytest.Work
		p.Before = func(_ string, step int) {
			// Between the change of a.txt and the reading of late.txt.
			if step == 4 {
				w.Put("by-hand.txt", "mine\n")
				w.Put("late.txt", tenLines)
			}
		}
		w = perform(p, t, program)
		run := w.Run("Go.")
		if got := changedIn(w, run); got != "a.txt b.txt c.txt late.txt" {
			t.Errorf("got a version of %q, want the agent's files alone", got)
		}
		w.WantVersions("agent 4 Change a.txt and 2 more", "user 1 Edited by hand", "user 2 Edited by hand")
		w.MustUndo(run, "Go.", 4)
		w.WantFiles("a.txt", tenLines, "late.txt", tenLines, "b.txt", tenLines, "c.txt", "-", "by-hand.txt", "mine\n")
		found := w.Versions()
		if found[1].Message != "Edited by hand" || changedIn(w, found[1].ID) != "by-hand.txt" {
			t.Errorf("got %+v before the undoing, want the person's file in a version of its own", found[1])
		}
		if name, _, _ := strings.Cut(w.User.Email, "@"); found[1].Author.Name != name {
			t.Errorf("got the author %q, want %q", found[1].Author.Name, name)
		}
	})
}

func TestABatchDuringARunTakesNothingOfTheRuns(t *testing.T) {
	p := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"Go.": append(editing("a.txt", "two", "TWO"), editing("b.txt", "two", "TWO")...)}}
	var w *storytest.Work
	p.Before = func(_ string, step int) {
		if step == 2 {
			operation := storytest.Fields{"op": "write", "path": "batch.txt", "content": "x"}
			w.Must(http.StatusOK, http.MethodPost, w.Path("/files/bulk"), storytest.Fields{"operations": []any{operation}, "message": "Batch"}, nil)
		}
	}
	w = perform(p, t, storytest.Programs()["local"])
	run := w.Run("Go.")
	w.WantVersions("agent 2 Change a.txt and b.txt", "user 1 Batch", "user 2 Edited by hand")
	if got := changedIn(w, run); got != "a.txt b.txt" {
		t.Errorf("got a version of %q, want both files of the run", got)
	}
}

func TestRunsSideBySideHaveAVersionEach(t *testing.T) {
	p := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{
		"Outer.": {storytest.Calls("write_file", "path", "outer1.txt", "content", "1\n"), storytest.Calls("write_file", "path", "outer2.txt", "content", "2\n")},
		"Inner.": {storytest.Calls("write_file", "path", "inner.txt", "content", "3\n")},
	}}
	var w *storytest.Work
	p.Before = func(message string, step int) {
		if message == "Outer." && step == 1 {
			w.Put("by-hand.txt", "mine\n")
			var made core.Chat
			w.Must(http.StatusCreated, http.MethodPost, w.Path("/chats"), storytest.Fields{"mode": "build"}, &made)
			inner := *w
			inner.Chat = made.ID
			if got := changedIn(w, inner.Run("Inner.")); got != "inner.txt" {
				w.T.Errorf("got an inner version of %q, want its own file", got)
			}
		}
	}
	w = perform(p, t, storytest.Programs()["local"])
	if got := changedIn(w, w.Run("Outer.")); got != "outer1.txt outer2.txt" {
		t.Errorf("got an outer version of %q, want its own files", got)
	}
	w.WantVersions("agent 2 Add outer1.txt and outer2.txt", "agent 1 Add inner.txt", "user 1 Edited by hand", "user 2 Edited by hand")
}

func TestUndoIsRefusedWhereItIsNotSafe(t *testing.T) {
	p := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"First.": editing("a.txt", "two", "TWO"), "Second.": editing("b.txt", "two", "TWO")}}
	var w *storytest.Work
	var first string
	p.Before = func(message string, step int) {
		if message != "Second." || step != 1 {
			return
		}
		if got := undo(w, first); got.Status != http.StatusConflict || got.Code() != core.CodeChatBusy {
			w.T.Errorf("during a run: got %d %s, want chat_busy", got.Status, got.Body)
		}
	}
	w = perform(p, t, storytest.Programs()["local"])
	first = w.Run("First.")
	w.Run("Second.")
	for _, v := range w.Versions() {
		if got := undo(w, v.ID); v.Author.Kind == core.AuthorUser && (got.Code() != core.CodeConflict || !strings.Contains(string(got.Body), "only versions that the agent made")) {
			t.Errorf("a person's version: got %d %s, want conflict", got.Status, got.Body)
		}
	}
	for _, unknown := range []string{strings.Repeat("0", 40), "HEAD", first[:12], "..%2f.."} {
		if got := undo(w, unknown); got.Status != http.StatusNotFound {
			t.Errorf("%s: got %d %s, want not found", unknown, got.Status, got.Body)
		}
	}
}

func TestACommandsChangesAreInTheRunsVersion(t *testing.T) {
	p := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"Go.": {
		storytest.Calls("write_file", "path", "first.txt", "content", "1\n"),
		storytest.Calls("run_command", "command", "mkdir out && for i in 1 2 3; do echo $i >out/$i.txt; done && rm b.txt && echo eleven >>a.txt"),
	}}}
	env := func(testing.TB) map[string]string { return map[string]string{"SANDBOX": "bwrap"} }
	w := perform(p, t, storytest.Program{Make: local.New, Env: env})
	run := w.Run("Go.")
	w.WantVersions("agent 6 Change a.txt and 5 more", "user 2 Edited by hand")
	w.MustUndo(run, "Go.", 6)
	w.WantFiles("a.txt", tenLines, "b.txt", tenLines, "out/1.txt", "-", "first.txt", "-")
}

// TestAKilledRunsVersionHoldsItsOwnChanges kills the process between two changes of
// a run, and lets a person edit another file before it goes on.
func TestAKilledRunsVersionHoldsItsOwnChanges(t *testing.T) {
	for name, detach := range map[string]bool{"that goes on": true, "that ends": false} {
		t.Run(name, func(t *testing.T) {
			reached, goOn := make(chan struct{}, 10), make(chan struct{})
			p := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"Go.": {
				storytest.Calls("read_file", "path", "a.txt"), storytest.Calls("rename_file", "from", "a.txt", "to", "moved.txt"), storytest.Calls("write_file", "path", "one.txt", "content", "1\n"), storytest.Calls("write_file", "path", "two.txt", "content", "2\n"),
			}}}
			p.Before = func(_ string, step int) {
				if step == 3 {
					reached <- struct{}{}
					<-goOn
				}
			}
			var env []string
			for name, value := range p.Env(t) {
				env = append(env, name+"="+value)
			}
			service := process.Start(t, process.Build(t), env...)
			w := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create(storytest.Template)
			w.Put("a.txt", tenLines)
			message := storytest.Fields{"chatId": w.Chat, "text": "Go.", "detach": detach}
			response := w.Open(t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", message)
			defer response.Body.Close()
			<-reached
			w.Put("by-hand.txt", "mine\n")
			service.Kill()
			w.Client.CloseIdleConnections()
			close(goOn)
			service.Restart()
			w.WaitIdle()
			want := []string{"agent 3 Change moved.txt and one.txt", "user 1 Edited by hand"}
			if detach {
				want[0] = "agent 4 Change moved.txt and 2 more"
			}
			w.WantVersions(want...)
			w.MustUndo(w.Versions()[0].ID, "Go.", map[bool]int{true: 4, false: 3}[detach])
			w.WantFiles("a.txt", tenLines, "moved.txt", "-", "one.txt", "-", "two.txt", "-", "by-hand.txt", "mine\n")
			if found := w.Versions()[1]; found.Message != "Edited by hand" || found.FilesChanged != 1 {
				t.Errorf("got %+v, want the person's file in a version of its own", found)
			}
		})
	}
}
