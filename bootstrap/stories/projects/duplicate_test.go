package projects_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// duplicate makes a copy of a project as c; body may be nil.
func duplicate(c *storytest.Caller, id core.ID, body any) *storytest.Work {
	c.T.Helper()
	made := &storytest.Work{Caller: c}
	c.Must(http.StatusCreated, http.MethodPost, "/projects/"+string(id)+"/duplicate", body, &made.Project)
	if chats := chats(made); len(chats) > 0 {
		made.Chat = chats[0].ID
	}
	return made
}

func chats(w *storytest.Work) []core.Chat {
	w.T.Helper()
	var page struct{ Items []core.Chat }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/chats"), nil, &page)
	return page.Items
}

// versionIDs are those of all versions, the newest first.
func versionIDs(w *storytest.Work) []string {
	w.T.Helper()
	ids, _ := versionPage(w, "?limit=100")
	return ids
}

// checkoutOf lets stock git tell of a program's repository; inmemory has none.
func checkoutOf(w *storytest.Work, t *testing.T, arguments ...string) string {
	t.Helper()
	dir := w.App.Settings.ProjectsRoot + "/" + string(w.ID)
	out, err := exec.Command("git", append([]string{"-c", "safe.directory=*", "-C", dir}, arguments...)...).CombinedOutput()
	if err != nil {
		t.Errorf("git %v: %v, %s", arguments, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestAProjectIsDuplicatedWithAllThatBelongsToIt(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			w := c.Create("static-html")
			w.Put("a b/é.txt", "東京")
			w.Put("data.bin", "\x00\xff")
			w.Put("empty", "")
			save(w, "A point")
			// The demo cannot see; the image is in the log all the same.
			w.Show("Look", storytest.DataURL(storytest.PNGImage(t, 7)))
			all := w.Send(`Change the heading to "Copied".`)
			if storytest.LastOf(all)["reason"] != "done" {
				t.Fatalf("got %s, want a run that is done", storytest.Kinds(all))
			}
			w.Put("staged.txt", "only staged")
			w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/SECRET"), storytest.Fields{"value": "horse"}, nil)
			w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
			w.Put("staged.txt", "staged again")

			made := duplicate(c, w.ID, nil)
			if made.Name != "Work copy" || made.Slug != "work-copy" || made.ID == w.ID || made.PublishedAt != nil || made.CustomDomain != nil || made.Visibility != core.VisibilityWorkspace {
				t.Errorf("got %+v, want a copy that is not published", made.Project)
			}
			if got, want := made.Files(), w.Files(); !maps.Equal(got, want) || got["staged.txt"] != "staged again" {
				t.Errorf("got %v, want %v", got, want)
			}
			if got, want := versionIDs(made), versionIDs(w); !reflect.DeepEqual(got, want) || len(got) < 4 {
				t.Errorf("got the versions %v, want %v", got, want)
			}
			for _, id := range versionIDs(made) {
				got, want := showVersion(made, id), showVersion(w, id)
				// The site shows the source's version, and the chat is the source's, as is the run whose wish it
				// was. The copy has no site, and chats of its own.
				want.Live, want.ChatID, want.Wish = false, nil, nil
				if !reflect.DeepEqual(got, want) {
					t.Errorf("version %s: got %+v, want %+v", id, got, want)
				}
			}
			if staged := save(made, "What was staged"); staged.FilesChanged != 1 {
				t.Errorf("got %+v, want the staged file in a version", staged)
			}
			wantSameTalk(made, t, w)
			wantOwnImage(made, t, w)
			if got := made.Do(http.MethodGet, made.Path("/env"), nil); strings.Contains(string(got.Body), "SECRET") {
				t.Errorf("got %s, want no environment value", got.Body)
			}
			if got := made.Do(http.MethodGet, made.Path("/deployments"), nil); strings.Contains(string(got.Body), `"live"`) {
				t.Errorf("got %s, want no deployment", got.Body)
			}
			restore(made, versionIDs(w)[len(versionIDs(w))-1], http.StatusCreated)
			if got := w.Files()["a b/é.txt"]; got != "東京" {
				t.Errorf("got %q in the source, want it as it was", got)
			}
			if name != "inmemory" {
				checkoutOf(made, t, "fsck", "--strict", "--no-dangling")
				if changed := checkoutOf(made, t, "diff-files", "--name-only"); changed != "" {
					t.Errorf("git takes %q for changed, want nothing", changed)
				}
			}
		})
	}
}

// wantSameTalk compares the logs of two projects' chats, but for the images' ids.
func wantSameTalk(w *storytest.Work, t *testing.T, source *storytest.Work) {
	t.Helper()
	got, want := w.History(), source.History()
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
	if chats(w)[0].ID == chats(source)[0].ID || chats(w)[0].Running {
		t.Errorf("got the chat %+v, want an idle one of its own", chats(w)[0])
	}
	if after := w.Send("And now?"); after[len(after)-1].Kind() != "session.task_complete" {
		t.Errorf("got %s, want a chat that goes on", storytest.Kinds(after))
	}
}

// wantOwnImage wants the image of the first message to be the copy's own.
func wantOwnImage(w *storytest.Work, t *testing.T, source *storytest.Work) {
	t.Helper()
	id := func(of *storytest.Work) core.ID {
		attached := of.History()[0]["attachments"].([]any)[0].(map[string]any)
		return core.ID(attached["id"].(string))
	}
	image, err := w.App.Store.Tables().Attachments.ByID(t.Context(), id(w))
	if err != nil || id(w) == id(source) || string(image.Data) != string(storytest.PNGImage(t, 7)) {
		t.Errorf("got the image %s, %v, want one of its own", id(w), err)
	}
}

func TestAReaderDuplicatesAPublicProjectWithoutItsChats(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			w, reader := s.SignUp().Create("static-html"), s.SignUp()
			w.Send("Hello, this is between us.")
			w.Put("staged.txt", "1")
			if got := reader.Do(http.MethodPost, w.Path("/duplicate"), storytest.Fields{}); got.Code() != core.CodeNotFound {
				t.Errorf("before it is public: got %d %s, want not_found", got.Status, got.Body)
			}
			w.Must(http.StatusOK, http.MethodPatch, w.Path(""), storytest.Fields{"visibility": "public"}, nil)
			if got := reader.Do(http.MethodPost, w.Path("/duplicate"), storytest.Fields{"workspaceId": w.Workspace}); got.Code() != core.CodeNotFound {
				t.Errorf("into the project's workspace: got %d %s, want not_found", got.Status, got.Body)
			}
			made := duplicate(reader, w.ID, storytest.Fields{"name": "Mine", "workspaceId": reader.Workspace})
			if made.WorkspaceID != reader.Workspace || made.Slug != "mine" || made.Visibility != core.VisibilityWorkspace {
				t.Errorf("got %+v, want it in the reader's workspace", made.Project)
			}
			if got := made.History(); len(got) != 0 || len(chats(made)) != 1 || !chats(made)[0].IsDefault {
				t.Errorf("got the chat %+v with %v, want a fresh one", chats(made), got)
			}
			if got := made.Files(); !maps.Equal(got, w.Files()) || !reflect.DeepEqual(versionIDs(made), versionIDs(w)) {
				t.Errorf("got %v, want files and versions of the project", got)
			}
			if again := duplicate(reader, w.ID, nil); again.WorkspaceID != reader.Workspace {
				t.Errorf("got %+v, want it in the reader's workspace without being told so", again.Project)
			}
		})
	}
}

func TestWrongDuplicatesAreRefusedAndLeaveNothing(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			c, other := s.SignUp(), s.SignUp()
			w := c.Create("static-html")
			var foreign, own core.Folder
			other.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(other.Workspace)+"/folders", storytest.Fields{"name": "x"}, &foreign)
			c.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.Workspace)+"/folders", storytest.Fields{"name": "x"}, &own)
			for _, test := range []struct {
				body any
				code core.Code
			}{
				{storytest.Fields{"workspaceId": other.Workspace}, core.CodeNotFound},
				{storytest.Fields{"workspaceId": "x"}, core.CodeNotFound},
				{storytest.Fields{"workspaceId": core.NewID()}, core.CodeNotFound},
				{storytest.Fields{"folderId": foreign.ID}, core.CodeValidationFailed},
				{storytest.Fields{"folderId": "../x"}, core.CodeValidationFailed},
				{storytest.Fields{"name": " "}, core.CodeValidationFailed},
				{storytest.Fields{"name": strings.Repeat("x", 101)}, core.CodeValidationFailed},
				{storytest.Fields{"name": 7}, core.CodeInvalidRequest},
				{storytest.Fields{"title": "x"}, core.CodeInvalidRequest},
				{[]string{}, core.CodeInvalidRequest},
			} {
				if got := c.Do(http.MethodPost, w.Path("/duplicate"), test.body); got.Code() != test.code {
					t.Errorf("%v: got %d %s, want %s", test.body, got.Status, got.Body, test.code)
				}
			}
			if trees, err := s.App.Trees.List(t.Context()); err != nil || len(trees) != 1 || len(c.ProjectIDs()) != 1 {
				t.Errorf("got the trees %v, %v, want the first project's alone", trees, err)
			}
			inFolder := duplicate(c, w.ID, storytest.Fields{"folderId": own.ID})
			beside := duplicate(c, inFolder.ID, storytest.Fields{"name": nil})
			root := duplicate(c, inFolder.ID, storytest.Fields{"folderId": nil})
			if *inFolder.FolderID != own.ID || *beside.FolderID != own.ID || root.FolderID != nil {
				t.Errorf("got the folders %v, %v and %v, want the first two in the folder", inFolder.FolderID, beside.FolderID, root.FolderID)
			}
		})
	}
}

func TestADuplicateWhileTheAgentWorksIsOneMomentOfIt(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		script := append(editing("a.txt", "two", "TWO"), editing("b.txt", "two", "TWO")...)
		p := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"Go.": script}}
		var w, made *storytest.Work
		p.Before = func(_ string, step int) {
			if step == 3 {
				made = duplicate(w.Caller, w.ID, nil)
			}
		}
		w = perform(p, t, program)
		w.Run("Go.")
		made.WantFiles("a.txt", with("two", "TWO"), "b.txt", tenLines)
		if chats(made)[0].Running {
			t.Error("got a chat that is busy, want an idle one")
		}
		log := made.History()
		if last := log[len(log)-1]; last["type"] != "session.error" || last["error"] != string(core.CodeInterrupted) || last["seq"] != float64(len(log)) {
			t.Errorf("got %v at the end, want the run interrupted", last)
		}
		known := strings.Join(versionIDs(made), " ")
		for _, e := range log {
			if id, _ := e["versionId"].(string); !strings.Contains(known, id) {
				t.Errorf("got the version %s in the log, want only those that the copy has: %s", id, known)
			}
		}
		if response := made.Do(http.MethodGet, "/chat/"+string(made.ID)+"/stream"+storytest.Query("chatId", string(made.Chat)), nil); !strings.Contains(string(response.Body), "interrupted") {
			t.Errorf("got the stream %.300s, want its end", response.Body)
		}
		w.WantFiles("a.txt", with("two", "TWO"), "b.txt", with("two", "TWO"))
		if used, _ := json.Marshal(w.Usage()); strings.Contains(string(used), "error") {
			t.Errorf("got the usage %s", used)
		}
	})
}

func TestDuplicatesOfAProjectThatIsWrittenAreWhole(t *testing.T) {
	c := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp()
	w := c.Create("static-html")
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
				operations = append(operations, storytest.Fields{"op": "write", "path": fmt.Sprintf("f/%d.txt", i), "content": fmt.Sprint(round)})
			}
			w.Do(http.MethodPost, w.Path("/files/bulk"), storytest.Fields{"operations": operations})
		}
	}()
	for range 8 {
		made := duplicate(c, w.ID, nil)
		rounds := map[string]int{}
		for path, content := range made.Files() {
			if strings.HasPrefix(path, "f/") {
				rounds[content]++
			}
		}
		if len(rounds) > 1 {
			t.Errorf("got files of %v, want one moment", rounds)
		}
		if status := checkoutOf(made, t, "status", "--porcelain"); status != "" {
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
	c := storytest.StartCrash(t, "static-html")
	var operations []any
	const count = 150
	for i := range count {
		operations = append(operations, storytest.Fields{"op": "write", "path": fmt.Sprintf("src/%d.txt", i), "content": strings.Repeat(fmt.Sprint(i), 500)})
	}
	c.Must(http.StatusOK, http.MethodPost, c.Path("/files/bulk"), storytest.Fields{"operations": operations}, nil)
	c.Send("Hello")
	c.Put("staged.txt", "staged")
	files, ids, events := len(c.Work.Files()), versionIDs(c.Work), len(c.History())
	seen := map[core.ID]bool{c.ID: true}
	began := time.Now()
	duplicate(c.Work.Caller, c.ID, nil)
	takes := time.Since(began)
	for round := range duplicateRounds {
		done := make(chan struct{})
		go func() { defer close(done); aside(c.Work.Caller, http.MethodPost, c.Path("/duplicate")) }()
		c.KillWithin(takes + takes/3)
		<-done
		c.Restart()
		for _, id := range c.ProjectIDs() {
			if seen[id] {
				continue
			}
			seen[id] = true
			copied := &storytest.Work{Caller: c.Caller, Project: core.Project{ID: id}}
			copied.Chat = chats(copied)[0].ID
			if got := copied.Files(); len(got) != files || got["staged.txt"] != "staged" || !reflect.DeepEqual(versionIDs(copied), ids) || len(copied.History()) != events {
				t.Errorf("round %d: got a project of %d files, %d versions and %d events, want %d, %d and %d", round, len(got), len(versionIDs(copied)), len(copied.History()), files, len(ids), events)
			}
		}
	}
	want := c.ProjectIDs()
	c.Stop()
	wantSwept(t, c.Dir, want)
}

// BenchmarkDuplicate copies a project of a thousand files with a history.
func BenchmarkDuplicate(b *testing.B) {
	service := process.Start(b, process.Build(b))
	c := (&storytest.Site{T: b, URL: service.URL, Client: storytest.LocalClient()}).SignUp()
	w := c.Create("static-html")
	fillProject(w, 1000)
	for b.Loop() {
		c.Must(http.StatusCreated, http.MethodPost, w.Path("/duplicate"), nil, nil)
	}
}

// BenchmarkRestore goes back and forth between versions with and without five thousand
// files.
func BenchmarkRestore(b *testing.B) {
	service := process.Start(b, process.Build(b))
	w := (&storytest.Site{T: b, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("static-html")
	shas := versionIDs(w)[:1]
	fillProject(w, 5000)
	shas = append(shas, versionIDs(w)[0])
	for i := 0; b.Loop(); i++ {
		restore(w, shas[i%2], http.StatusCreated)
	}
}

// fillProject writes files in bulks, and a hundred versions of one of them.
func fillProject(w *storytest.Work, count int) {
	w.T.Helper()
	for start := 0; start < count; start += 500 {
		var operations []any
		for i := start; i < min(start+500, count); i++ {
			operations = append(operations, storytest.Fields{"op": "write", "path": fmt.Sprintf("src/%d/%d.txt", i%20, i), "content": strings.Repeat(fmt.Sprint(i, "\n"), 500)})
		}
		w.Must(http.StatusOK, http.MethodPost, w.Path("/files/bulk"), storytest.Fields{"operations": operations}, nil)
	}
	for i := range 100 {
		w.Put("src/0/0.txt", fmt.Sprint(i))
		save(w, "x")
	}
}
