package bootstrap_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/process"
	"github.com/atelierhq/atelier/core"
)

// duplicate makes a copy of a project as c; body may be nil.
func (c *caller) duplicate(id core.ID, body any) *work {
	c.t.Helper()
	made := &work{caller: c}
	c.must(http.StatusCreated, http.MethodPost, "/projects/"+string(id)+"/duplicate", body, &made.Project)
	if chats := made.chats(); len(chats) > 0 {
		made.chat = chats[0].ID
	}
	return made
}

func (w *work) chats() []core.Chat {
	w.t.Helper()
	var page struct{ Items []core.Chat }
	w.must(http.StatusOK, http.MethodGet, w.path("/chats"), nil, &page)
	return page.Items
}

// ids are those of all versions, the newest first.
func (w *work) ids() []string {
	w.t.Helper()
	ids, _ := w.versionPage("?limit=100")
	return ids
}

// checkoutOf lets stock git tell of a program's repository; inmemory has none.
func (w *work) checkoutOf(t *testing.T, arguments ...string) string {
	t.Helper()
	dir := w.app.Settings.ProjectsRoot + "/" + string(w.ID)
	out, err := exec.Command("git", append([]string{"-c", "safe.directory=*", "-C", dir}, arguments...)...).CombinedOutput()
	if err != nil {
		t.Errorf("git %v: %v, %s", arguments, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestAProjectIsDuplicatedWithAllThatBelongsToIt(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			w := c.create("static-html")
			w.put("a b/é.txt", "東京")
			w.put("data.bin", "\x00\xff")
			w.put("empty", "")
			w.save("A point")
			// The demo cannot see; the image is in the log all the same.
			w.show("Look", dataURL(pngImage(t, 7)))
			all := w.send(`Change the heading to "Copied".`)
			if lastOf(all)["reason"] != "done" {
				t.Fatalf("got %s, want a run that is done", kinds(all))
			}
			w.put("staged.txt", "only staged")
			w.must(http.StatusNoContent, http.MethodPut, w.path("/env/SECRET"), fields{"value": "horse"}, nil)
			w.must(http.StatusOK, http.MethodPost, w.path("/publish"), fields{}, nil)
			w.put("staged.txt", "staged again")

			made := c.duplicate(w.ID, nil)
			if made.Name != "Work copy" || made.Slug != "work-copy" || made.ID == w.ID || made.PublishedAt != nil || made.CustomDomain != nil || made.Visibility != core.VisibilityWorkspace {
				t.Errorf("got %+v, want a copy that is not published", made.Project)
			}
			if got, want := made.files(), w.files(); !maps.Equal(got, want) || got["staged.txt"] != "staged again" {
				t.Errorf("got %v, want %v", got, want)
			}
			if got, want := made.ids(), w.ids(); !reflect.DeepEqual(got, want) || len(got) < 4 {
				t.Errorf("got the versions %v, want %v", got, want)
			}
			for _, id := range made.ids() {
				if got, want := made.showVersion(id), w.showVersion(id); !reflect.DeepEqual(got, want) {
					t.Errorf("version %s: got %+v, want %+v", id, got, want)
				}
			}
			if staged := made.save("What was staged"); staged.FilesChanged != 1 {
				t.Errorf("got %+v, want the staged file in a version", staged)
			}
			made.wantSameTalk(t, w)
			made.wantOwnImage(t, w)
			if got := made.do(http.MethodGet, made.path("/env"), nil); strings.Contains(string(got.body), "SECRET") {
				t.Errorf("got %s, want no environment value", got.body)
			}
			if got := made.do(http.MethodGet, made.path("/deployments"), nil); strings.Contains(string(got.body), `"live"`) {
				t.Errorf("got %s, want no deployment", got.body)
			}
			made.restore(w.ids()[len(w.ids())-1], http.StatusCreated)
			if got := w.files()["a b/é.txt"]; got != "東京" {
				t.Errorf("got %q in the source, want it as it was", got)
			}
			if name != "inmemory" {
				made.checkoutOf(t, "fsck", "--strict", "--no-dangling")
				if changed := made.checkoutOf(t, "diff-files", "--name-only"); changed != "" {
					t.Errorf("git takes %q for changed, want nothing", changed)
				}
			}
		})
	}
}

// wantSameTalk compares the logs of two projects' chats, but for the images' ids.
func (w *work) wantSameTalk(t *testing.T, source *work) {
	t.Helper()
	got, want := w.history(), source.history()
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("got %d events, want %d", len(got), len(want))
	}
	for i := range got {
		if attached, _ := got[i]["attachments"].([]any); len(attached) > 0 {
			delete(attached[0].(map[string]any), "id")
			delete(want[i]["attachments"].([]any)[0].(map[string]any), "id")
		}
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("got the event %v, want %v", got[i], want[i])
		}
	}
	if w.chats()[0].ID == source.chats()[0].ID || w.chats()[0].Running {
		t.Errorf("got the chat %+v, want an idle one of its own", w.chats()[0])
	}
	if after := w.send("And now?"); after[len(after)-1].kind() != "session.task_complete" {
		t.Errorf("got %s, want a chat that goes on", kinds(after))
	}
}

// wantOwnImage wants the image of the first message to be the copy's own.
func (w *work) wantOwnImage(t *testing.T, source *work) {
	t.Helper()
	id := func(of *work) core.ID {
		attached := of.history()[0]["attachments"].([]any)[0].(map[string]any)
		return core.ID(attached["id"].(string))
	}
	image, err := w.app.Store.Tables().Attachments.ByID(t.Context(), id(w))
	if err != nil || id(w) == id(source) || string(image.Data) != string(pngImage(t, 7)) {
		t.Errorf("got the image %s, %v, want one of its own", id(w), err)
	}
}

func TestAReaderDuplicatesAPublicProjectWithoutItsChats(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			w, reader := s.signUp().create("static-html"), s.signUp()
			w.send("Hello, this is between us.")
			w.put("staged.txt", "1")
			if got := reader.do(http.MethodPost, w.path("/duplicate"), fields{}); got.code() != core.CodeNotFound {
				t.Errorf("before it is public: got %d %s, want not_found", got.status, got.body)
			}
			w.must(http.StatusOK, http.MethodPatch, w.path(""), fields{"visibility": "public"}, nil)
			if got := reader.do(http.MethodPost, w.path("/duplicate"), fields{"workspaceId": w.workspace}); got.code() != core.CodeNotFound {
				t.Errorf("into the project's workspace: got %d %s, want not_found", got.status, got.body)
			}
			made := reader.duplicate(w.ID, fields{"name": "Mine", "workspaceId": reader.workspace})
			if made.WorkspaceID != reader.workspace || made.Slug != "mine" || made.Visibility != core.VisibilityWorkspace {
				t.Errorf("got %+v, want it in the reader's workspace", made.Project)
			}
			if got := made.history(); len(got) != 0 || len(made.chats()) != 1 || !made.chats()[0].IsDefault {
				t.Errorf("got the chat %+v with %v, want a fresh one", made.chats(), got)
			}
			if got := made.files(); !maps.Equal(got, w.files()) || !reflect.DeepEqual(made.ids(), w.ids()) {
				t.Errorf("got %v, want files and versions of the project", got)
			}
			if again := reader.duplicate(w.ID, nil); again.WorkspaceID != reader.workspace {
				t.Errorf("got %+v, want it in the reader's workspace without being told so", again.Project)
			}
		})
	}
}

func TestWrongDuplicatesAreRefusedAndLeaveNothing(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			c, other := s.signUp(), s.signUp()
			w := c.create("static-html")
			var foreign, own core.Folder
			other.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(other.workspace)+"/folders", fields{"name": "x"}, &foreign)
			c.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.workspace)+"/folders", fields{"name": "x"}, &own)
			for _, test := range []struct {
				body any
				code core.Code
			}{
				{fields{"workspaceId": other.workspace}, core.CodeNotFound},
				{fields{"workspaceId": "x"}, core.CodeNotFound},
				{fields{"workspaceId": core.NewID()}, core.CodeNotFound},
				{fields{"folderId": foreign.ID}, core.CodeValidationFailed},
				{fields{"folderId": "../x"}, core.CodeValidationFailed},
				{fields{"name": " "}, core.CodeValidationFailed},
				{fields{"name": strings.Repeat("x", 101)}, core.CodeValidationFailed},
				{fields{"name": 7}, core.CodeInvalidRequest},
				{fields{"title": "x"}, core.CodeInvalidRequest},
				{[]string{}, core.CodeInvalidRequest},
			} {
				if got := c.do(http.MethodPost, w.path("/duplicate"), test.body); got.code() != test.code {
					t.Errorf("%v: got %d %s, want %s", test.body, got.status, got.body, test.code)
				}
			}
			if trees, err := s.app.Trees.List(t.Context()); err != nil || len(trees) != 1 || len(c.projectIDs()) != 1 {
				t.Errorf("got the trees %v, %v, want the first project's alone", trees, err)
			}
			inFolder := c.duplicate(w.ID, fields{"folderId": own.ID})
			beside := c.duplicate(inFolder.ID, fields{"name": nil})
			root := c.duplicate(inFolder.ID, fields{"folderId": nil})
			if *inFolder.FolderID != own.ID || *beside.FolderID != own.ID || root.FolderID != nil {
				t.Errorf("got the folders %v, %v and %v, want the first two in the folder", inFolder.FolderID, beside.FolderID, root.FolderID)
			}
		})
	}
}

func TestADuplicateWhileTheAgentWorksIsOneMomentOfIt(t *testing.T) {
	onBoth(t, func(t *testing.T, program program) {
		script := append(editing("a.txt", "two", "TWO"), editing("b.txt", "two", "TWO")...)
		p := &screenplay{scripts: map[string][]toolCall{"Go.": script}}
		var w, made *work
		p.before = func(_ string, step int) {
			if step == 3 {
				made = w.caller.duplicate(w.ID, nil)
			}
		}
		w = p.perform(t, program)
		w.run("Go.")
		made.wantFiles("a.txt", with("two", "TWO"), "b.txt", tenLines)
		if made.chats()[0].Running {
			t.Error("got a chat that is busy, want an idle one")
		}
		log := made.history()
		if last := log[len(log)-1]; last["type"] != "session.error" || last["error"] != string(core.CodeInterrupted) || last["seq"] != float64(len(log)) {
			t.Errorf("got %v at the end, want the run interrupted", last)
		}
		known := strings.Join(made.ids(), " ")
		for _, e := range log {
			if id, _ := e["versionId"].(string); !strings.Contains(known, id) {
				t.Errorf("got the version %s in the log, want only those that the copy has: %s", id, known)
			}
		}
		if response := made.do(http.MethodGet, "/chat/"+string(made.ID)+"/stream"+query("chatId", string(made.chat)), nil); !strings.Contains(string(response.body), "interrupted") {
			t.Errorf("got the stream %.300s, want its end", response.body)
		}
		w.wantFiles("a.txt", with("two", "TWO"), "b.txt", with("two", "TWO"))
		if used, _ := json.Marshal(w.usage()); strings.Contains(string(used), "error") {
			t.Errorf("got the usage %s", used)
		}
	})
}

func TestDuplicatesOfAProjectThatIsWrittenAreWhole(t *testing.T) {
	c := serve(t, t.TempDir(), local.New, nil).signUp()
	w := c.create("static-html")
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for round := 0; ; round++ {
			select {
			case <-stop:
				return
			default:
			}
			var operations []any
			for i := range 20 {
				operations = append(operations, fields{"op": "write", "path": fmt.Sprintf("f/%d.txt", i), "content": fmt.Sprint(round)})
			}
			w.do(http.MethodPost, w.path("/files/bulk"), fields{"operations": operations})
		}
	}()
	for range 8 {
		made := c.duplicate(w.ID, nil)
		rounds := map[string]int{}
		for path, content := range made.files() {
			if strings.HasPrefix(path, "f/") {
				rounds[content]++
			}
		}
		if len(rounds) > 1 {
			t.Errorf("got files of %v, want one moment", rounds)
		}
		if status := made.checkoutOf(t, "status", "--porcelain"); status != "" {
			t.Errorf("git takes %q for changed, want the copy of a version", status)
		}
	}
	close(stop)
	<-done
}

// duplicateRounds is how often the process is killed during a duplicate.
const duplicateRounds = 8

func TestKillDuringADuplicateLeavesAWholeProjectOrNothing(t *testing.T) {
	t.Parallel()
	c := startCrash(t, "static-html")
	var operations []any
	const count = 150
	for i := range count {
		operations = append(operations, fields{"op": "write", "path": fmt.Sprintf("src/%d.txt", i), "content": strings.Repeat(fmt.Sprint(i), 500)})
	}
	c.must(http.StatusOK, http.MethodPost, c.path("/files/bulk"), fields{"operations": operations}, nil)
	c.send("Hello")
	c.put("staged.txt", "staged")
	files, ids, events := len(c.work.files()), c.ids(), len(c.history())
	seen := map[core.ID]bool{c.ID: true}
	began := time.Now()
	c.duplicate(c.ID, nil)
	takes := time.Since(began)
	for round := range duplicateRounds {
		done := make(chan struct{})
		go func() { defer close(done); c.aside(http.MethodPost, c.path("/duplicate")) }()
		time.Sleep(time.Duration(rand.Int64N(int64(takes + takes/3))))
		c.Kill()
		<-done
		c.http.CloseIdleConnections()
		c.Restart()
		for _, id := range c.projectIDs() {
			if seen[id] {
				continue
			}
			seen[id] = true
			copied := &work{caller: c.caller, Project: core.Project{ID: id}}
			copied.chat = copied.chats()[0].ID
			if got := copied.files(); len(got) != files || got["staged.txt"] != "staged" || !reflect.DeepEqual(copied.ids(), ids) || len(copied.history()) != events {
				t.Errorf("round %d: got a project of %d files, %d versions and %d events, want %d, %d and %d", round, len(got), len(copied.ids()), len(copied.history()), files, len(ids), events)
			}
		}
	}
	want := c.projectIDs()
	c.Stop()
	wantSwept(t, c.Dir, want)
}

// BenchmarkDuplicate copies a project of a thousand files with a history.
func BenchmarkDuplicate(b *testing.B) {
	service := process.Start(b, process.Build(b))
	c := (&site{t: b, url: service.URL, http: localClient()}).signUp()
	w := c.create("static-html")
	w.fill(1000)
	for b.Loop() {
		c.must(http.StatusCreated, http.MethodPost, w.path("/duplicate"), nil, nil)
	}
}

// BenchmarkRestore goes back and forth between versions with and without five thousand
// files.
func BenchmarkRestore(b *testing.B) {
	service := process.Start(b, process.Build(b))
	w := (&site{t: b, url: service.URL, http: localClient()}).signUp().create("static-html")
	shas := w.ids()[:1]
	w.fill(5000)
	shas = append(shas, w.ids()[0])
	for i := 0; b.Loop(); i++ {
		w.restore(shas[i%2], http.StatusCreated)
	}
}

// fill writes files in bulks, and a hundred versions of one of them.
func (w *work) fill(count int) {
	w.t.Helper()
	for start := 0; start < count; start += 500 {
		var operations []any
		for i := start; i < min(start+500, count); i++ {
			operations = append(operations, fields{"op": "write", "path": fmt.Sprintf("src/%d/%d.txt", i%20, i), "content": strings.Repeat(fmt.Sprint(i, "\n"), 500)})
		}
		w.must(http.StatusOK, http.MethodPost, w.path("/files/bulk"), fields{"operations": operations}, nil)
	}
	for i := range 100 {
		w.put("src/0/0.txt", fmt.Sprint(i))
		w.save("x")
	}
}
