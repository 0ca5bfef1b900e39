package tasks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/tasks"
	"github.com/atelierhq/atelier/ports/conformance"
)

// board is the tasks of a project as a person sees them.
type board struct{ *storytest.Work }

// newBoard starts a program whose model plays scripts, and makes a project with files.
func newBoard(t *testing.T, program storytest.Program, play *storytest.Screenplay, settings ...map[string]string) board {
	t.Helper()
	env := storytest.Merged(append([]map[string]string{program.Env(t), play.Env(t)}, settings...)...)
	return onBoard(storytest.Serve(t, t.TempDir(), program.Make, env))
}

func onBoard(site *storytest.Site) board { return board{site.SignUp().Create("blank")} }

func (b board) begin(content string) tasks.View {
	b.T.Helper()
	var made tasks.View
	b.Must(http.StatusCreated, http.MethodPost, b.Path("/tasks"), storytest.Fields{"content": content, "title": "About " + content}, &made)
	return made
}

func (b board) get(id core.ID) tasks.View {
	b.T.Helper()
	var found tasks.View
	b.Must(http.StatusOK, http.MethodGet, b.Path("/tasks/"+string(id)), nil, &found)
	return found
}

func (b board) list() []tasks.View {
	b.T.Helper()
	var found struct{ Items []tasks.View }
	b.Must(http.StatusOK, http.MethodGet, b.Path("/tasks"), nil, &found)
	return found.Items
}

// await waits until a task has a status.
func (b board) await(id core.ID, want tasks.Status) tasks.View {
	b.T.Helper()
	return b.awaitThat(id, string(want), func(task tasks.View) bool { return task.Status == want })
}

func (b board) awaitThat(id core.ID, what string, is func(tasks.View) bool) tasks.View {
	b.T.Helper()
	var last tasks.View
	conformance.Becomes(func() bool {
		last = b.get(id)
		return is(last) || last.Status == tasks.Failed
	})
	if !is(last) {
		b.T.Fatalf("got the task %+v, want it %s", last, what)
	}
	return last
}

func (b board) merge(id core.ID) tasks.View {
	b.T.Helper()
	var merged tasks.View
	b.Must(http.StatusOK, http.MethodPost, b.Path("/tasks/"+string(id)+"/merge"), nil, &merged)
	return merged
}

// conflicts is the files at which a merge stops.
func (b board) conflicts(id core.ID) []core.MergeConflict {
	b.T.Helper()
	answer := b.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, b.Path("/tasks/"+string(id)+"/merge"), nil)
	var told struct{ Conflicts []core.MergeConflict }
	must(b.T, json.Unmarshal(answer.Body, &told))
	return told.Conflicts
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// copyOf is a task's copy as a project to work in.
func (b board) copyOf(task tasks.View) *storytest.Work {
	made := *b.Work
	made.ID, made.Chat = *task.CopyID, task.ChatID
	return &made
}

// numbered are lines of a text that several tasks change at places of their own.
func numbered(changed map[int]string) string {
	text := ""
	for i := range 40 {
		line := fmt.Sprintf("line %d", i)
		if other, is := changed[i]; is {
			line = other
		}
		text += line + "\n"
	}
	return text
}

// four are scripts of four tasks: each edits a file that all edit, and makes one of its own.
func four() map[string][]storytest.ToolCall {
	scripts := map[string][]storytest.ToolCall{}
	for i := range 4 {
		name := fmt.Sprintf("task %d", i)
		scripts[name] = []storytest.ToolCall{
			storytest.Calls("read_file", "path", "shared.txt"),
			storytest.Calls("edit_file", "path", "shared.txt", "oldText", fmt.Sprintf("line %d\n", 8*i+2), "newText", name+"\n"),
			storytest.Calls("write_file", "path", fmt.Sprintf("own/%d.txt", i), "content", name),
		}
	}
	return scripts
}

func TestFourTasksAtOnceLoseNoEdit(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		b := newBoard(t, program, &storytest.Screenplay{Scripts: four()})
		b.Put("shared.txt", numbered(nil))
		var made []tasks.View
		for i := range 4 {
			made = append(made, b.begin(fmt.Sprintf("task %d", i)))
		}
		// A person goes on in the project meanwhile.
		changed := map[int]string{39: "mine"}
		b.Put("shared.txt", numbered(changed))
		b.Put("mine.txt", "mine")
		if got := b.ProjectIDs(); len(got) != 1 || got[0] != b.ID {
			t.Errorf("got the projects %v, want no copy among them", got)
		}
		for i, task := range made {
			ready := b.await(task.ID, tasks.Ready)
			if len(ready.Files) != 2 || ready.Files[0].Path != fmt.Sprintf("own/%d.txt", i) || ready.Files[1].Path != "shared.txt" || ready.Files[1].Change != "modified" {
				t.Errorf("got the files %+v, want the task's two", ready.Files)
			}
		}
		results := make(chan tasks.View, len(made))
		for _, task := range made {
			go func() {
				var merged tasks.View
				b.Must(http.StatusOK, http.MethodPost, b.Path("/tasks/"+string(task.ID)+"/merge"), nil, &merged)
				results <- merged
			}()
		}
		for range made {
			if merged := <-results; merged.Status != tasks.Merged || merged.VersionID == nil {
				t.Errorf("got %+v, want it merged as a version", merged)
			}
		}
		want := []string{"mine.txt", "mine"}
		for i := range 4 {
			changed[8*i+2] = fmt.Sprintf("task %d", i)
			want = append(want, fmt.Sprintf("own/%d.txt", i), changed[8*i+2])
		}
		want = append(want, "shared.txt", numbered(changed))
		found := b.Files()
		for i := 0; i < len(want); i += 2 {
			if found[want[i]] != want[i+1] {
				t.Errorf("%s: got %q, want %q", want[i], found[want[i]], want[i+1])
			}
		}
		b.wantTidy(made)
	})
}

// wantTidy fails the test unless the copies of merged tasks go, and their chats stay.
func (b board) wantTidy(merged []tasks.View) {
	b.T.Helper()
	for _, task := range merged {
		tidy := b.awaitThat(task.ID, "without its copy", func(task tasks.View) bool { return task.CopyID == nil })
		b.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, "/projects/"+string(*task.CopyID), nil)
		var log struct{ Items []map[string]any }
		b.Must(http.StatusOK, http.MethodGet, "/chat/"+string(b.ID)+"/messages"+storytest.Query("chatId", string(tidy.ChatID)), nil, &log)
		if len(log.Items) == 0 || fmt.Sprint("About ", log.Items[0]["text"]) != task.Title {
			b.T.Errorf("got the chat %v, want the task's", log.Items)
		}
		undone := b.MustUndo(*tidy.VersionID, "Undo: Task: "+task.Title, 2)
		if undone.ID == "" {
			b.T.Error("got no version that undoes the merge")
		}
	}
}

func TestAConflictChangesNothingAndTheAgentSettlesIt(t *testing.T) {
	play := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{
		"Say hello": {storytest.Calls("write_file", "path", "a.txt", "content", "hello from the task\n")},
	}}
	program := storytest.Programs()["local"]
	b := newBoard(t, program, play)
	b.Put("a.txt", "hello\n")
	task := b.begin("Say hello")
	b.await(task.ID, tasks.Ready)
	b.Put("a.txt", "hello from me\n")
	before := len(b.Versions())
	conflicts := b.conflicts(task.ID)
	if len(conflicts) != 1 || conflicts[0].Path != "a.txt" {
		t.Fatalf("got the conflicts %+v, want one in a.txt", conflicts)
	}
	if got := b.await(task.ID, tasks.Conflict); len(got.Conflicts) != 1 {
		t.Errorf("got %+v, want the conflict on the board", got)
	}
	if got := len(b.Versions()); b.Files()["a.txt"] != "hello from me\n" || got != before {
		t.Errorf("got %q and %d versions, want the project unchanged", b.Files()["a.txt"], got)
	}
	// The agent is asked with a message that nobody can know before.
	asked := make(chan string, 1)
	play.Other = func(message string) []storytest.ToolCall {
		select {
		case asked <- message:
		default:
		}
		return []storytest.ToolCall{
			storytest.Calls("read_file", "path", "a.txt"),
			storytest.Calls("write_file", "path", "a.txt", "content", "hello from both\n"),
		}
	}
	var settled tasks.View
	b.Must(http.StatusOK, http.MethodPost, b.Path("/tasks/"+string(task.ID)+"/resolve"), storytest.Fields{"by": "agent"}, &settled)
	if settled.Status != tasks.Working {
		t.Errorf("got %s, want the agent at work", settled.Status)
	}
	b.await(task.ID, tasks.Merged)
	if got := b.Files()["a.txt"]; got != "hello from both\n" {
		t.Errorf("got %q, want what the agent made of both", got)
	}
	<-asked
}

func TestAPersonSettlesAConflictInTheCopy(t *testing.T) {
	play := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{
		"Say hello": {
			storytest.Calls("write_file", "path", "a.txt", "content", "hello from the task\n"),
			storytest.Calls("write_file", "path", "b.txt", "content", "new\n"),
			storytest.Calls("delete_file", "path", "gone.txt"),
		},
	}}
	b := newBoard(t, storytest.Programs()["local"], play)
	b.Put("a.txt", "hello\n")
	b.Put("gone.txt", "1\n")
	task := b.begin("Say hello")
	b.await(task.ID, tasks.Ready)
	b.Put("a.txt", "hello from me\n")
	b.Put("gone.txt", "2\n")
	b.Put("later.txt", "later\n")
	if got := b.conflicts(task.ID); len(got) != 2 || got[1].Path != "gone.txt" {
		t.Fatalf("got %+v, want two conflicts", got)
	}
	var open tasks.View
	b.Must(http.StatusOK, http.MethodPost, b.Path("/tasks/"+string(task.ID)+"/resolve"), storytest.Fields{"by": "person"}, &open)
	made := b.copyOf(open)
	want := "<<<<<<< this copy\nhello from the task\n=======\nhello from me\n>>>>>>> the project\n"
	if got := made.Files(); got["a.txt"] != want || got["gone.txt"] != "2\n" || got["later.txt"] != "later\n" || got["b.txt"] != "new\n" {
		t.Errorf("got %v, want the project's files with the task's changes", got)
	}
	if got := b.conflicts(task.ID); len(got) != 1 || got[0].Message != "still has conflict markers" {
		t.Errorf("got %+v, want the markers refused", got)
	}
	made.Put("a.txt", "hello from both\n")
	made.Must(http.StatusNoContent, http.MethodDelete, made.Path("/files/gone.txt"), nil, nil)
	b.merge(task.ID)
	if got := b.Files(); got["a.txt"] != "hello from both\n" || got["gone.txt"] != "" || got["later.txt"] != "later\n" || got["b.txt"] != "new\n" {
		t.Errorf("got %v, want both sides' changes", got)
	}
}

func TestACopyLivesAndEndsWithItsProject(t *testing.T) {
	b := newBoard(t, storytest.Programs()["local"], &storytest.Screenplay{Scripts: four()}, map[string]string{"MAX_TASKS_PER_PROJECT": "2", "MAX_PROJECTS_PER_WORKSPACE": "1"})
	b.Put("shared.txt", numbered(nil))
	task := b.begin("task 1")
	discarded := b.begin("task 2")
	b.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, b.Path("/tasks"), storytest.Fields{"content": "task 3"})
	b.await(discarded.ID, tasks.Ready)
	b.Must(http.StatusNoContent, http.MethodDelete, b.Path("/tasks/"+string(discarded.ID)), nil, nil)
	made := b.copyOf(b.await(task.ID, tasks.Ready))
	for _, refused := range [][2]string{
		{http.MethodPost, made.Path("/publish")}, {http.MethodDelete, made.Path("")}, {http.MethodDelete, made.Path("?hard=true")},
	} {
		made.Refused(http.StatusForbidden, core.CodeForbidden, refused[0], refused[1], nil)
	}
	made.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, made.Path("/tasks"), nil)
	made.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPatch, made.Path(""), storytest.Fields{"visibility": "public"})
	made.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPost, made.Path("/duplicate"), storytest.Fields{})
	b.Must(http.StatusNotFound, http.MethodGet, "/projects/"+string(*discarded.CopyID), nil, nil)
	b.Must(http.StatusOK, http.MethodPatch, b.Path(""), storytest.Fields{"visibility": "private"}, nil)
	var project core.Project
	b.Must(http.StatusOK, http.MethodGet, made.Path(""), nil, &project)
	if project.Visibility != core.VisibilityPrivate || project.CopyOf == nil || *project.CopyOf != b.ID {
		t.Errorf("got %+v, want the copy as private as its project", project)
	}
	b.Must(http.StatusNoContent, http.MethodDelete, b.Path(""), nil, nil)
	b.Must(http.StatusNotFound, http.MethodGet, made.Path(""), nil, nil)
	b.Must(http.StatusOK, http.MethodPost, b.Path("/restore"), nil, nil)
	b.Must(http.StatusOK, http.MethodGet, made.Path(""), nil, nil)
	if got := b.list(); len(got) != 1 || got[0].Status != tasks.Ready {
		t.Errorf("got %+v, want the task ready again", got)
	}
	b.Must(http.StatusNoContent, http.MethodDelete, b.Path("?hard=true"), nil, nil)
	b.Must(http.StatusNotFound, http.MethodGet, made.Path(""), nil, nil)
}

// TestNoEditOfACopyIsAcknowledgedAndLost lets somebody edit a copy all the while that it is merged.
func TestNoEditOfACopyIsAcknowledgedAndLost(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		b := newBoard(t, program, &storytest.Screenplay{Scripts: four()})
		b.Put("shared.txt", numbered(nil))
		made := b.copyOf(b.await(b.begin("task 1").ID, tasks.Ready))
		saved, refused := make(chan string), make(chan int, 1)
		go func() {
			defer close(saved)
			for i := 0; ; i++ {
				text := fmt.Sprintf("edit %d", i)
				if got := made.Do(http.MethodPut, made.Path("/files/late.txt"), strings.NewReader(text)); got.Status >= http.StatusBadRequest {
					refused <- got.Status
					return
				}
				saved <- text
			}
		}()
		last := <-saved
		go b.merge(b.list()[0].ID)
		for text := range saved {
			last = text
		}
		if status := <-refused; status != http.StatusNotFound {
			t.Errorf("got %d for an edit of a copy that is merged, want 404", status)
		}
		b.await(b.list()[0].ID, tasks.Merged)
		if got := b.Files()["late.txt"]; got != last {
			t.Errorf("got %q, want the last edit that was acknowledged, %q", got, last)
		}
	})
}

// TestNoFileOfACopyIsSavedAndLostWhileItGetsANewBase lets somebody save files in a copy all the while
// that it gets the project's present ones.
func TestNoFileOfACopyIsSavedAndLostWhileItGetsANewBase(t *testing.T) {
	play := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{
		"Say hello": {storytest.Calls("write_file", "path", "a.txt", "content", "hello from the task\n")},
	}}
	b := newBoard(t, storytest.Programs()["local"], play)
	b.Put("a.txt", "hello\n")
	task := b.begin("Say hello")
	made := b.copyOf(b.await(task.ID, tasks.Ready))
	b.Put("a.txt", "hello from me\n")
	for i := range 50 {
		b.Put(fmt.Sprintf("later/%d.txt", i), "later\n")
	}
	resolved, saved := make(chan struct{}), make(chan []string)
	go func() {
		var paths []string
		for i := 0; ; i++ {
			select {
			case <-resolved:
				saved <- paths
				return
			default:
			}
			path := fmt.Sprintf("mine/%d.txt", i)
			if got := made.Do(http.MethodPut, made.Path("/files/"+path), strings.NewReader("mine\n")); got.Status == http.StatusCreated {
				paths = append(paths, path)
			}
		}
	}()
	b.Must(http.StatusOK, http.MethodPost, b.Path("/tasks/"+string(task.ID)+"/resolve"), storytest.Fields{"by": "person"}, nil)
	close(resolved)
	found := made.Files()
	for _, path := range <-saved {
		if _, kept := found[path]; !kept && made.Do(http.MethodGet, made.Path("/files/"+path), nil).Status != http.StatusOK {
			t.Errorf("%s was saved and is gone", path)
		}
	}
}
