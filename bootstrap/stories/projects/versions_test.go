package projects_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/versions"
)

// save creates a version of the staged files.
func save(w *storytest.Work, message string) core.Version {
	w.T.Helper()
	var made core.Version
	w.Must(http.StatusCreated, http.MethodPost, w.Path("/versions"), storytest.Fields{"message": message}, &made)
	return made
}

func showVersion(w *storytest.Work, sha string) versions.Detail {
	w.T.Helper()
	var detail versions.Detail
	w.Must(http.StatusOK, http.MethodGet, w.Path("/versions/"+sha), nil, &detail)
	return detail
}

func restore(w *storytest.Work, sha string, status int) core.Version {
	w.T.Helper()
	var made core.Version
	w.Must(status, http.MethodPost, w.Path("/versions/"+sha+"/restore"), nil, &made)
	return made
}

// versionPage is one page of a project's versions.
func versionPage(w *storytest.Work, search string) (ids []string, next string) {
	w.T.Helper()
	var page struct {
		Items      []core.Version
		NextCursor *string
	}
	w.Must(http.StatusOK, http.MethodGet, w.Path("/versions"+search), nil, &page)
	for _, version := range page.Items {
		ids = append(ids, version.ID)
	}
	if page.NextCursor != nil {
		next = *page.NextCursor
	}
	return ids, next
}

func TestVersionsAreSavedShownAndRestored(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			w := program.Serve(t).SignUp().Create("static-html")
			w.Put("a.txt", "one\ntwo\n")
			w.Put("é x.txt", "1")
			first := save(w, "First point")
			if first.Author != (core.Author{Kind: core.AuthorUser, Name: strings.Split(w.User.Email, "@")[0]}) || first.FilesChanged != 2 || first.ChatID != nil {
				t.Errorf("got %+v, want the caller's version of two files", first)
			}
			if got := w.Do(http.MethodPost, w.Path("/versions"), storytest.Fields{"message": "Again"}); got.Code() != core.CodeConflict {
				t.Errorf("nothing staged: got %d %s, want conflict", got.Status, got.Body)
			}
			w.Put("a.txt", "one\n2\n")
			w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/files/%C3%A9%20x.txt"), nil, nil)
			detail := showVersion(w, save(w, "Second point").ID)
			want := "diff --git a/a.txt b/a.txt\n"
			if !strings.HasPrefix(detail.Patch, want) || !strings.Contains(detail.Patch, "@@ -1,2 +1,2 @@\n one\n-two\n+2\n") || !strings.Contains(detail.Patch, `deleted file mode 100644`) {
				t.Errorf("got the patch\n%s", detail.Patch)
			}
			told, _ := json.Marshal(detail.Files)
			if string(told) != `[{"path":"a.txt","action":"modified","additions":1,"deletions":1},{"path":"é x.txt","action":"deleted","additions":0,"deletions":1}]` || detail.Truncated {
				t.Errorf("got the files %s", told)
			}
			w.Put("a.txt", "by hand")
			restored := restore(w, first.ID, http.StatusCreated)
			w.WantFiles("a.txt", "one\ntwo\n", "é x.txt", "1")
			wantMessages(w, restored.ID, "Restore: First point", "Edited by hand", "Second point", "First point", "Create the project from the template static-html")
			if again := restore(w, first.ID, http.StatusOK); again.ID != restored.ID {
				t.Errorf("got %+v, want the latest version again", again)
			}
		})
	}
}

// wantMessages compares the newest version and all messages, the newest first.
func wantMessages(w *storytest.Work, newest string, want ...string) {
	w.T.Helper()
	var page struct{ Items []core.Version }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/versions"), nil, &page)
	var got []string
	for _, version := range page.Items {
		got = append(got, version.Message)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || page.Items[0].ID != newest {
		w.T.Errorf("got %q, want %q", got, want)
	}
}

func TestPagesOfVersionsStayWhileVersionsAreAdded(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			w := s.SignUp().Create("static-html")
			var want []string
			for i := range 7 {
				w.Put("a.txt", fmt.Sprint(i))
				want = append([]string{save(w, fmt.Sprint(i)).ID}, want...)
			}
			got, next := versionPage(w, "?limit=3")
			w.Put("a.txt", "more")
			save(w, "more")
			for next != "" {
				var page []string
				page, next = versionPage(w, "?limit=3&cursor="+next)
				got = append(got, page...)
			}
			if len(got) != 8 || fmt.Sprint(got[:7]) != fmt.Sprint(want) {
				t.Errorf("got %q, want %q and the first", got, want)
			}
			if all, _ := versionPage(w, "?limit=1000"); len(all) != 9 {
				t.Errorf("got %d versions, want 9", len(all))
			}
			other := s.SignUp().Create("static-html")
			_, cursor := versionPage(w, "?limit=1")
			for search, code := range map[string]core.Code{
				"?cursor=" + cursor + "x": core.CodeInvalidCursor, "?cursor=": core.CodeInvalidCursor, "?limit=0": core.CodeInvalidRequest, "?limit=x": core.CodeInvalidRequest,
			} {
				if got := w.Do(http.MethodGet, w.Path("/versions"+search), nil); got.Code() != code {
					t.Errorf("%s: got %d %s, want %s", search, got.Status, got.Body, code)
				}
			}
			if got := other.Do(http.MethodGet, other.Path("/versions?cursor="+cursor), nil); got.Code() != core.CodeInvalidCursor {
				t.Errorf("another project's cursor: got %d %s, want invalid_cursor", got.Status, got.Body)
			}
		})
	}
}

func TestReadersSeeVersionsOfAPublicProjectAndChangeNothing(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			w, reader := s.SignUp().Create("static-html"), s.SignUp()
			w.Put("a.txt", "1")
			sha := save(w, "x").ID
			for _, visibility := range []core.Visibility{core.VisibilityWorkspace, core.VisibilityPublic} {
				want := http.StatusOK
				if visibility == core.VisibilityWorkspace {
					want = http.StatusNotFound
				}
				w.Must(http.StatusOK, http.MethodPatch, w.Path(""), storytest.Fields{"visibility": visibility}, nil)
				for _, path := range []string{"/versions", "/versions/" + sha} {
					if got := reader.Do(http.MethodGet, w.Path(path), nil); got.Status != want {
						t.Errorf("%s of a %s project: got %d, want %d", path, visibility, got.Status, want)
					}
				}
			}
			for path, body := range map[string]any{"/versions": storytest.Fields{"message": "x"}, "/versions/" + sha + "/restore": nil} {
				if got := reader.Do(http.MethodPost, w.Path(path), body); got.Code() != core.CodeForbidden {
					t.Errorf("%s: got %d %s, want forbidden", path, got.Status, got.Body)
				}
			}
		})
	}
}

func TestNothingButAVersionOfTheProjectIsShownOrRestored(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			w, other := s.SignUp().Create("static-html"), s.SignUp().Create("static-html")
			w.Put("a.txt", "mine")
			mine := save(w, "x")
			other.Put("b.txt", "theirs")
			shas := []string{
				save(other, "y").ID, mine.ID[:3], mine.ID[:39], mine.ID + "0", "HEAD", "main", "refs%2Fheads%2Fmain", "..", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc", "HEAD~1", mine.ID + "^",
				"%00", strings.Repeat("0", 40), strings.Repeat("a", 5000), "%ff", "-" + mine.ID[:39], "@{1}",
				// The id of an empty tree and of an empty blob.
				"4b825dc642cb6eb9a060e54bf8d69288fbee4904", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
			}
			if name != "inmemory" {
				shas = append(shas, objectsOf(t, w.App.Settings.ProjectsRoot, w.ID)...)
			}
			for _, sha := range shas {
				for _, call := range []string{"GET ", "POST restore", "POST undo"} {
					method, action, _ := strings.Cut(call, " ")
					path := strings.TrimSuffix(w.Path("/versions/"+sha+"/"+action), "/")
					if got := w.Do(method, path, nil); got.Status != http.StatusNotFound && got.Status != http.StatusBadRequest && got.Status != http.StatusMethodNotAllowed {
						t.Errorf("%s %.100s: got %d %.200s, want not_found", method, path, got.Status, got.Body)
					}
				}
			}
		})
	}
}

// objectsOf are the ids of a version's tree and of a file in it.
func objectsOf(t *testing.T, root string, project core.ID) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", filepath.Join(root, string(project)), "rev-parse", "HEAD^{tree}", "HEAD:a.txt").CombinedOutput()
	if err != nil {
		t.Fatalf("git: %v, %s", err, out)
	}
	return strings.Fields(string(out))
}

func TestASavePointTakesAMessageWithinBounds(t *testing.T) {
	w := storytest.Programs()["inmemory"].Serve(t).SignUp().Create("static-html")
	w.Put("a.txt", "1")
	for _, test := range []struct {
		body any
		code core.Code
	}{
		{storytest.Fields{"message": ""}, core.CodeValidationFailed},
		{storytest.Fields{"message": " \n "}, core.CodeValidationFailed},
		{storytest.Fields{"message": strings.Repeat("é", 1001)}, core.CodeValidationFailed},
		{storytest.Fields{"message": "a\x00b"}, core.CodeValidationFailed},
		{storytest.Fields{}, core.CodeInvalidRequest},
		{storytest.Fields{"message": nil}, core.CodeInvalidRequest},
		{storytest.Fields{"message": 7}, core.CodeInvalidRequest},
		{storytest.Fields{"message": "x", "sha": "y"}, core.CodeInvalidRequest},
		{[]string{"x"}, core.CodeInvalidRequest},
	} {
		if got := w.Do(http.MethodPost, w.Path("/versions"), test.body); got.Code() != test.code {
			t.Errorf("%v: got %d %s, want %s", test.body, got.Status, got.Body, test.code)
		}
	}
	if made := save(w, strings.Repeat("é", 1000)); made.FilesChanged != 1 {
		t.Errorf("got %+v, want the version of one file", made)
	}
}

func TestWhileTheAgentWorksNothingIsRestored(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		p := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"Go.": editing("a.txt", "two", "TWO")}}
		var w *storytest.Work
		var first string
		p.Before = func(_ string, step int) {
			if step == 1 {
				if got := w.Do(http.MethodPost, w.Path("/versions/"+first+"/restore"), nil); got.Code() != core.CodeChatBusy {
					t.Errorf("got %d %s, want chat_busy", got.Status, got.Body)
				}
			}
		}
		w = perform(p, t, program)
		first = save(w, "First").ID
		w.WantFiles("a.txt", tenLines)
		run := w.Run("Go.")
		w.WantFiles("a.txt", with("two", "TWO"))
		if got := changedIn(w, run); got != "a.txt" {
			t.Errorf("got a version of %q, want of the run's file", got)
		}
		restore(w, first, http.StatusCreated)
		w.WantFiles("a.txt", tenLines)
	})
}

// restoreRounds is how often the process is killed during a restore.
const restoreRounds = 8

func TestKillDuringARestoreLeavesTheOldFilesOrTheNewOnes(t *testing.T) {
	t.Parallel()
	c := storytest.StartCrash(t, "static-html")
	const count = 150
	write := func(round string) string {
		var operations []any
		for i := range count {
			operations = append(operations, storytest.Fields{"op": "write", "path": fmt.Sprintf("src/%d.txt", i), "content": strings.Repeat(round, 500)})
		}
		operations = append(operations, storytest.Fields{"op": "write", "path": "only/" + round, "content": round})
		var answer struct{ Commit string }
		c.Must(http.StatusOK, http.MethodPost, c.Path("/files/bulk"), storytest.Fields{"operations": operations, "message": round}, &answer)
		return answer.Commit
	}
	shas := map[string]string{"old": write("old"), "new": write("new")}
	c.Must(http.StatusNoContent, http.MethodDelete, c.Path("/files/only/old"), nil, nil)
	shas["new"] = save(c.Work, "new").ID
	began := time.Now()
	restore(c.Work, shas["old"], http.StatusCreated)
	takes := time.Since(began)
	outcomes := map[string]int{}
	for round := range restoreRounds {
		target := []string{"new", "old"}[round%2]
		mark := fmt.Sprintf("by hand %d", round)
		c.Put("marks/"+fmt.Sprint(round), mark)
		done := make(chan int, 1)
		go func() { done <- aside(c.Work.Caller, http.MethodPost, c.Path("/versions/"+shas[target]+"/restore")) }()
		c.KillWithin(takes + takes/3)
		status := <-done
		c.Restart()
		stands := standing(c, t, count)
		if status == http.StatusCreated && stands != target {
			t.Errorf("round %d: got %s after an acknowledged restore of %s", round, stands, target)
		}
		outcomes[fmt.Sprintf("%s acknowledged %t", map[bool]string{true: "restored", false: "as it was"}[stands == target], status == http.StatusCreated)]++
		c.CheckRepository(t)
		wantKept(c, fmt.Sprint("marks/", round), mark)
		c.Do(http.MethodPost, c.Path("/versions/"+shas[target]+"/restore"), nil)
		if stands := standing(c, t, count); stands != target {
			t.Errorf("round %d: got %s after the second try, want %s", round, stands, target)
		}
	}
	t.Logf("%v", outcomes)
}

// aside sends a request that may lose its server, and returns the status, 0 for none.
func aside(c *storytest.Caller, method, path string) int {
	request, err := http.NewRequest(method, c.URL+path, nil)
	if err != nil {
		return 0
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	response, err := c.Client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// standing says which of two versions the files equal, and fails for a mixture.
func standing(c *storytest.Crash, t *testing.T, count int) string {
	t.Helper()
	var list []struct{ Path string }
	c.Must(http.StatusOK, http.MethodGet, c.Path("/files"), nil, &list)
	found := map[string]int{}
	for _, file := range list {
		if name, isOnly := strings.CutPrefix(file.Path, "only/"); isOnly {
			found[name]++
		}
		if strings.HasPrefix(file.Path, "src/") {
			content := string(c.Do(http.MethodGet, c.Path("/files/"+file.Path), nil).Body)
			if content != strings.Repeat(content[:3], 500) {
				t.Fatalf("%s is torn: %.30q", file.Path, content)
			}
			found[content[:3]]++
		}
	}
	for name, n := range found {
		if n == count+1 && len(found) == 1 {
			return name
		}
	}
	t.Errorf("got a mixture of %v, want one version", found)
	return ""
}

// wantKept checks that edits by hand are in the files or in a version.
func wantKept(c *storytest.Crash, path, content string) {
	c.T.Helper()
	if got := c.Do(http.MethodGet, c.Path("/files/"+path), nil); got.Status == http.StatusOK && string(got.Body) == content {
		return
	}
	for _, version := range c.Versions() {
		if strings.Contains(showVersion(c.Work, version.ID).Patch, "+"+content+"\n") {
			return
		}
	}
	c.T.Errorf("%s is lost", path)
}
