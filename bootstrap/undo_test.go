package bootstrap_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/process"
	"github.com/atelierhq/atelier/core"
)

// tenLines is a text in which changes can be told apart.
const tenLines = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

// with returns tenLines with words replaced.
func with(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(tenLines) }

// perform serves a program whose model plays the scripts, and makes a project in it
// with the files a.txt and b.txt, which nobody has committed.
func (p *screenplay) perform(t *testing.T, program program) *work {
	t.Helper()
	env := program.env(t)
	merged := p.env(t)
	for name, value := range env {
		merged[name] = value
	}
	w := serve(t, t.TempDir(), program.make, merged).signUp().create(template)
	w.put("a.txt", tenLines)
	w.put("b.txt", tenLines)
	return w
}

// onBoth runs a story on both databases.
func onBoth(t *testing.T, story func(t *testing.T, program program)) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) { story(t, programs()[name]) })
	}
}

func TestUndoTakesARunBackAndKeepsLaterEdits(t *testing.T) {
	onBoth(t, func(t *testing.T, program program) {
		p := &screenplay{scripts: map[string][]toolCall{"Change both.": append(editing("a.txt", "two", "TWO"), editing("b.txt", "two", "TWO")...)}}
		w := p.perform(t, program)
		run := w.run("Change both.")
		if got := w.changedIn(run); got != "a.txt b.txt" {
			t.Errorf("got a version of %q, want of the two files", got)
		}
		w.wantVersions("agent 2 Change a.txt and b.txt", "user 2 Edited by hand")
		w.put("a.txt", with("two", "TWO", "nine", "NINE"))
		w.mustUndo(run, "Change both.", 2)
		w.wantFiles("a.txt", with("nine", "NINE"), "b.txt", tenLines)
		w.wantVersions("user 2 Undo: Change a.txt and b.txt", "user 1 Edited by hand", "agent 2 Change a.txt and b.txt", "user 2 Edited by hand")
		if got := w.undo(run); got.code() != core.CodeConflict || !strings.Contains(string(got.body), "nothing is left") {
			t.Errorf("once more: got %d %s, want conflict", got.status, got.body)
		}
	})
}

func TestUndoThatMeetsLaterEditsListsThemAndChangesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, program program) {
		script := append(editing("a.txt", "two\nthree", "TWO\nTHREE"), editing("b.txt", "two", "TWO")...)
		script = append(script, calls("write_file", "path", "made.txt", "content", "made\n"), calls("read_file", "path", "gone.txt"), calls("delete_file", "path", "gone.txt"), calls("read_file", "path", "old.txt"), calls("rename_file", "from", "old.txt", "to", "new.txt"))
		w := (&screenplay{scripts: map[string][]toolCall{"Go.": script}}).perform(t, program)
		w.put("gone.txt", "gone\n")
		w.put("old.txt", "old\n")
		run := w.run("Go.")
		if got := w.changedIn(run); got != "a.txt b.txt gone.txt made.txt new.txt old.txt" {
			t.Errorf("got a version of %q, want all six paths", got)
		}
		w.put("a.txt", "zero\n"+with("two", "TWO", "three", "3"))
		w.put("made.txt", "edited\n")
		w.put("gone.txt", "back\n")
		before := w.versions()
		got := w.undo(run)
		if got.status != http.StatusConflict || got.code() != core.CodeConflict {
			t.Fatalf("got %d %s, want conflict", got.status, got.body)
		}
		for _, want := range []string{"a.txt lines 3-4", "made.txt was made by this version", "gone.txt was deleted by this version"} {
			if !strings.Contains(string(got.body), want) {
				t.Errorf("got %s, want %q in it", got.body, want)
			}
		}
		if strings.Contains(string(got.body), "b.txt") || strings.Contains(string(got.body), "new.txt") {
			t.Errorf("got %s, want nothing about what could be undone", got.body)
		}
		w.wantFiles("a.txt", "zero\n"+with("two", "TWO", "three", "3"), "b.txt", with("two", "TWO"), "made.txt", "edited\n", "gone.txt", "back\n", "new.txt", "old\n", "old.txt", "-")
		if after := w.versions(); len(after) != len(before) {
			t.Errorf("got %d versions, want the %d from before", len(after), len(before))
		}
		w.put("a.txt", "zero\n"+with("two", "TWO", "three", "THREE"))
		w.put("made.txt", "made\n")
		w.put("gone.txt", "gone\n")
		w.mustUndo(run, "Go.", 5)
		w.wantFiles("a.txt", "zero\n"+tenLines, "b.txt", tenLines, "made.txt", "-", "gone.txt", "gone\n", "new.txt", "-", "old.txt", "old\n")
	})
}

func TestUndoOfTheFirstOfTwoRunsKeepsTheSecond(t *testing.T) {
	onBoth(t, func(t *testing.T, program program) {
		w := (&screenplay{scripts: map[string][]toolCall{
			"First.":  append(editing("a.txt", "two", "TWO"), calls("write_file", "path", "made/by/first.txt", "content", "1\n")),
			"Second.": append(editing("a.txt", "nine", "NINE"), calls("write_file", "path", "made/by/second.txt", "content", "2\n")),
		}}).perform(t, program)
		first, second := w.run("First."), w.run("Second.")
		w.mustUndo(first, "First.", 2)
		w.wantFiles("a.txt", with("nine", "NINE"), "made/by/first.txt", "-", "made/by/second.txt", "2\n")
		w.mustUndo(second, "Second.", 2)
		w.wantFiles("a.txt", tenLines, "made/by/second.txt", "-", "index.html", string(w.do(http.MethodGet, w.path("/files/index.html"), nil).body))
	})
}

func TestWhatAPersonEditsDuringARunIsNotInItsVersion(t *testing.T) {
	onBoth(t, func(t *testing.T, program program) {
		script := []toolCall{calls("read_file", "path", "b.txt"), calls("rename_file", "from", "b.txt", "to", "c.txt")}
		script = append(append(script, editing("a.txt", "two", "TWO")...), editing("late.txt", "two", "TWO")...)
		p := &screenplay{scripts: map[string][]toolCall{"Go.": script}}
		var w *work
		p.before = func(_ string, step int) {
			// Between the change of a.txt and the reading of late.txt.
			if step == 4 {
				w.put("by-hand.txt", "mine\n")
				w.put("late.txt", tenLines)
			}
		}
		w = p.perform(t, program)
		run := w.run("Go.")
		if got := w.changedIn(run); got != "a.txt b.txt c.txt late.txt" {
			t.Errorf("got a version of %q, want the agent's files alone", got)
		}
		w.wantVersions("agent 4 Change a.txt and 2 more", "user 1 Edited by hand", "user 2 Edited by hand")
		w.mustUndo(run, "Go.", 4)
		w.wantFiles("a.txt", tenLines, "late.txt", tenLines, "b.txt", tenLines, "c.txt", "-", "by-hand.txt", "mine\n")
		found := w.versions()
		if found[1].Message != "Edited by hand" || w.changedIn(found[1].ID) != "by-hand.txt" {
			t.Errorf("got %+v before the undoing, want the person's file in a version of its own", found[1])
		}
		if name, _, _ := strings.Cut(w.user.Email, "@"); found[1].Author.Name != name {
			t.Errorf("got the author %q, want %q", found[1].Author.Name, name)
		}
	})
}

func TestABatchDuringARunTakesNothingOfTheRuns(t *testing.T) {
	p := &screenplay{scripts: map[string][]toolCall{"Go.": append(editing("a.txt", "two", "TWO"), editing("b.txt", "two", "TWO")...)}}
	var w *work
	p.before = func(_ string, step int) {
		if step == 2 {
			operation := fields{"op": "write", "path": "batch.txt", "content": "x"}
			w.must(http.StatusOK, http.MethodPost, w.path("/files/bulk"), fields{"operations": []any{operation}, "message": "Batch"}, nil)
		}
	}
	w = p.perform(t, programs()["local"])
	run := w.run("Go.")
	w.wantVersions("agent 2 Change a.txt and b.txt", "user 1 Batch", "user 2 Edited by hand")
	if got := w.changedIn(run); got != "a.txt b.txt" {
		t.Errorf("got a version of %q, want both files of the run", got)
	}
}

func TestRunsSideBySideHaveAVersionEach(t *testing.T) {
	p := &screenplay{scripts: map[string][]toolCall{
		"Outer.": {calls("write_file", "path", "outer1.txt", "content", "1\n"), calls("write_file", "path", "outer2.txt", "content", "2\n")},
		"Inner.": {calls("write_file", "path", "inner.txt", "content", "3\n")},
	}}
	var w *work
	p.before = func(message string, step int) {
		if message == "Outer." && step == 1 {
			w.put("by-hand.txt", "mine\n")
			var made core.Chat
			w.must(http.StatusCreated, http.MethodPost, w.path("/chats"), fields{"mode": "build"}, &made)
			inner := *w
			inner.chat = made.ID
			if got := w.changedIn(inner.run("Inner.")); got != "inner.txt" {
				w.t.Errorf("got an inner version of %q, want its own file", got)
			}
		}
	}
	w = p.perform(t, programs()["local"])
	if got := w.changedIn(w.run("Outer.")); got != "outer1.txt outer2.txt" {
		t.Errorf("got an outer version of %q, want its own files", got)
	}
	w.wantVersions("agent 2 Add outer1.txt and outer2.txt", "agent 1 Add inner.txt", "user 1 Edited by hand", "user 2 Edited by hand")
}

func TestUndoIsRefusedWhereItIsNotSafe(t *testing.T) {
	p := &screenplay{scripts: map[string][]toolCall{"First.": editing("a.txt", "two", "TWO"), "Second.": editing("b.txt", "two", "TWO")}}
	var w *work
	var first string
	p.before = func(message string, step int) {
		if message != "Second." || step != 1 {
			return
		}
		if got := w.undo(first); got.status != http.StatusConflict || got.code() != core.CodeChatBusy {
			w.t.Errorf("during a run: got %d %s, want chat_busy", got.status, got.body)
		}
	}
	w = p.perform(t, programs()["local"])
	first = w.run("First.")
	w.run("Second.")
	for _, v := range w.versions() {
		if got := w.undo(v.ID); v.Author.Kind == core.AuthorUser && (got.code() != core.CodeConflict || !strings.Contains(string(got.body), "only versions that the agent made")) {
			t.Errorf("a person's version: got %d %s, want conflict", got.status, got.body)
		}
	}
	for _, unknown := range []string{strings.Repeat("0", 40), "HEAD", first[:12], "..%2f.."} {
		if got := w.undo(unknown); got.status != http.StatusNotFound {
			t.Errorf("%s: got %d %s, want not found", unknown, got.status, got.body)
		}
	}
}

func TestACommandsChangesAreInTheRunsVersion(t *testing.T) {
	p := &screenplay{scripts: map[string][]toolCall{"Go.": {
		calls("write_file", "path", "first.txt", "content", "1\n"),
		calls("run_command", "command", "mkdir out && for i in 1 2 3; do echo $i >out/$i.txt; done && rm b.txt && echo eleven >>a.txt"),
	}}}
	env := func(testing.TB) map[string]string { return map[string]string{"SANDBOX": "bwrap"} }
	w := p.perform(t, program{local.New, env})
	run := w.run("Go.")
	w.wantVersions("agent 6 Change a.txt and 5 more", "user 2 Edited by hand")
	w.mustUndo(run, "Go.", 6)
	w.wantFiles("a.txt", tenLines, "b.txt", tenLines, "out/1.txt", "-", "first.txt", "-")
}

// TestAKilledRunsVersionHoldsItsOwnChanges kills the process between two changes of
// a run, and lets a person edit another file before it goes on.
func TestAKilledRunsVersionHoldsItsOwnChanges(t *testing.T) {
	for name, detach := range map[string]bool{"that goes on": true, "that ends": false} {
		t.Run(name, func(t *testing.T) {
			reached, goOn := make(chan struct{}, 10), make(chan struct{})
			p := &screenplay{scripts: map[string][]toolCall{"Go.": {
				calls("read_file", "path", "a.txt"), calls("rename_file", "from", "a.txt", "to", "moved.txt"), calls("write_file", "path", "one.txt", "content", "1\n"), calls("write_file", "path", "two.txt", "content", "2\n"),
			}}}
			p.before = func(_ string, step int) {
				if step == 3 {
					reached <- struct{}{}
					<-goOn
				}
			}
			var env []string
			for name, value := range p.env(t) {
				env = append(env, name+"="+value)
			}
			service := process.Start(t, process.Build(t), env...)
			w := (&site{t: t, url: service.URL, http: localClient()}).signUp().create(template)
			w.put("a.txt", tenLines)
			message := fields{"chatId": w.chat, "text": "Go.", "detach": detach}
			response := w.open(t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", message)
			defer response.Body.Close()
			<-reached
			w.put("by-hand.txt", "mine\n")
			service.Kill()
			w.http.CloseIdleConnections()
			close(goOn)
			service.Restart()
			w.waitIdle()
			want := []string{"agent 3 Change moved.txt and one.txt", "user 1 Edited by hand"}
			if detach {
				want[0] = "agent 4 Change moved.txt and 2 more"
			}
			w.wantVersions(want...)
			w.mustUndo(w.versions()[0].ID, "Go.", map[bool]int{true: 4, false: 3}[detach])
			w.wantFiles("a.txt", tenLines, "moved.txt", "-", "one.txt", "-", "two.txt", "-", "by-hand.txt", "mine\n")
			if found := w.versions()[1]; found.Message != "Edited by hand" || found.FilesChanged != 1 {
				t.Errorf("got %+v, want the person's file in a version of its own", found)
			}
		})
	}
}
