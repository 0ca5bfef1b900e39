package bootstrap_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/versions"
)

// save makes a version of what is staged.
func (w *work) save(message string) core.Version {
	w.t.Helper()
	var made core.Version
	w.must(http.StatusCreated, http.MethodPost, w.path("/versions"), fields{"message": message}, &made)
	return made
}

func (w *work) showVersion(sha string) versions.Detail {
	w.t.Helper()
	var detail versions.Detail
	w.must(http.StatusOK, http.MethodGet, w.path("/versions/"+sha), nil, &detail)
	return detail
}

func (w *work) restore(sha string, status int) core.Version {
	w.t.Helper()
	var made core.Version
	w.must(status, http.MethodPost, w.path("/versions/"+sha+"/restore"), nil, &made)
	return made
}

// versionPage is one page of a project's versions.
func (w *work) versionPage(search string) (ids []string, next string) {
	w.t.Helper()
	var page struct {
		Items      []core.Version
		NextCursor *string
	}
	w.must(http.StatusOK, http.MethodGet, w.path("/versions"+search), nil, &page)
	for _, version := range page.Items {
		ids = append(ids, version.ID)
	}
	if page.NextCursor != nil {
		next = *page.NextCursor
	}
	return ids, next
}

func TestVersionsAreSavedShownAndRestored(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			w := program.serve(t).signUp().create("static-html")
			w.put("a.txt", "one\ntwo\n")
			w.put("é x.txt", "1")
			first := w.save("First point")
			if first.Author != (core.Author{Kind: core.AuthorUser, Name: strings.Split(w.user.Email, "@")[0]}) || first.FilesChanged != 2 || first.ChatID != nil {
				t.Errorf("got %+v, want the caller's version of two files", first)
			}
			if got := w.do(http.MethodPost, w.path("/versions"), fields{"message": "Again"}); got.code() != core.CodeConflict {
				t.Errorf("nothing staged: got %d %s, want conflict", got.status, got.body)
			}
			w.put("a.txt", "one\n2\n")
			w.must(http.StatusNoContent, http.MethodDelete, w.path("/files/%C3%A9%20x.txt"), nil, nil)
			detail := w.showVersion(w.save("Second point").ID)
			want := "diff --git a/a.txt b/a.txt\n"
			if !strings.HasPrefix(detail.Patch, want) || !strings.Contains(detail.Patch, "@@ -1,2 +1,2 @@\n one\n-two\n+2\n") || !strings.Contains(detail.Patch, `deleted file mode 100644`) {
				t.Errorf("got the patch\n%s", detail.Patch)
			}
			told, _ := json.Marshal(detail.Files)
			if string(told) != `[{"path":"a.txt","action":"modified","additions":1,"deletions":1},{"path":"é x.txt","action":"deleted","additions":0,"deletions":1}]` || detail.Truncated {
				t.Errorf("got the files %s", told)
			}
			w.put("a.txt", "by hand")
			restored := w.restore(first.ID, http.StatusCreated)
			w.wantFiles("a.txt", "one\ntwo\n", "é x.txt", "1")
			w.wantMessages(restored.ID, "Restore: First point", "Edited by hand", "Second point", "First point", "Create the project from the template static-html")
			if again := w.restore(first.ID, http.StatusOK); again.ID != restored.ID {
				t.Errorf("got %+v, want the latest version again", again)
			}
		})
	}
}

// wantMessages compares the newest version and all messages, the newest first.
func (w *work) wantMessages(newest string, want ...string) {
	w.t.Helper()
	var page struct{ Items []core.Version }
	w.must(http.StatusOK, http.MethodGet, w.path("/versions"), nil, &page)
	var got []string
	for _, version := range page.Items {
		got = append(got, version.Message)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || page.Items[0].ID != newest {
		w.t.Errorf("got %q, want %q", got, want)
	}
}

func TestPagesOfVersionsStayWhileVersionsAreAdded(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			w := s.signUp().create("static-html")
			var want []string
			for i := range 7 {
				w.put("a.txt", fmt.Sprint(i))
				want = append([]string{w.save(fmt.Sprint(i)).ID}, want...)
			}
			got, next := w.versionPage("?limit=3")
			w.put("a.txt", "more")
			w.save("more")
			for next != "" {
				var page []string
				page, next = w.versionPage("?limit=3&cursor=" + next)
				got = append(got, page...)
			}
			if len(got) != 8 || fmt.Sprint(got[:7]) != fmt.Sprint(want) {
				t.Errorf("got %q, want %q and the first", got, want)
			}
			if all, _ := w.versionPage("?limit=1000"); len(all) != 9 {
				t.Errorf("got %d versions, want 9", len(all))
			}
			other := s.signUp().create("static-html")
			_, cursor := w.versionPage("?limit=1")
			for search, code := range map[string]core.Code{
				"?cursor=" + cursor + "x": core.CodeInvalidCursor, "?cursor=": core.CodeInvalidCursor, "?limit=0": core.CodeInvalidRequest, "?limit=x": core.CodeInvalidRequest,
			} {
				if got := w.do(http.MethodGet, w.path("/versions"+search), nil); got.code() != code {
					t.Errorf("%s: got %d %s, want %s", search, got.status, got.body, code)
				}
			}
			if got := other.do(http.MethodGet, other.path("/versions?cursor="+cursor), nil); got.code() != core.CodeInvalidCursor {
				t.Errorf("another project's cursor: got %d %s, want invalid_cursor", got.status, got.body)
			}
		})
	}
}

func TestReadersSeeVersionsOfAPublicProjectAndChangeNothing(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			w, reader := s.signUp().create("static-html"), s.signUp()
			w.put("a.txt", "1")
			sha := w.save("x").ID
			for _, visibility := range []core.Visibility{core.VisibilityWorkspace, core.VisibilityPublic} {
				want := http.StatusOK
				if visibility == core.VisibilityWorkspace {
					want = http.StatusNotFound
				}
				w.must(http.StatusOK, http.MethodPatch, w.path(""), fields{"visibility": visibility}, nil)
				for _, path := range []string{"/versions", "/versions/" + sha} {
					if got := reader.do(http.MethodGet, w.path(path), nil); got.status != want {
						t.Errorf("%s of a %s project: got %d, want %d", path, visibility, got.status, want)
					}
				}
			}
			for _, path := range []string{"/versions", "/versions/" + sha + "/restore"} {
				if got := reader.do(http.MethodPost, w.path(path), fields{"message": "x"}); got.code() != core.CodeForbidden {
					t.Errorf("%s: got %d %s, want forbidden", path, got.status, got.body)
				}
			}
		})
	}
}

func TestNothingButAVersionOfTheProjectIsShownOrRestored(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			w, other := s.signUp().create("static-html"), s.signUp().create("static-html")
			w.put("a.txt", "mine")
			mine := w.save("x")
			other.put("b.txt", "theirs")
			shas := []string{
				other.save("y").ID, mine.ID[:3], mine.ID[:39], mine.ID + "0", "HEAD", "main", "refs%2Fheads%2Fmain", "..", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc", "HEAD~1", mine.ID + "^",
				"%00", strings.Repeat("0", 40), strings.Repeat("a", 5000), "%ff", "-" + mine.ID[:39], "@{1}",
				// The id of an empty tree and of an empty blob.
				"4b825dc642cb6eb9a060e54bf8d69288fbee4904", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
			}
			if name != "inmemory" {
				shas = append(shas, objectsOf(t, w.app.Settings.ProjectsRoot, w.ID)...)
			}
			for _, sha := range shas {
				for _, call := range []string{"GET ", "POST restore", "POST undo"} {
					method, action, _ := strings.Cut(call, " ")
					path := strings.TrimSuffix(w.path("/versions/"+sha+"/"+action), "/")
					if got := w.do(method, path, nil); got.status != http.StatusNotFound && got.status != http.StatusBadRequest && got.status != http.StatusMethodNotAllowed {
						t.Errorf("%s %.100s: got %d %.200s, want not_found", method, path, got.status, got.body)
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
	w := programs()["inmemory"].serve(t).signUp().create("static-html")
	w.put("a.txt", "1")
	for _, test := range []struct {
		body any
		code core.Code
	}{
		{fields{"message": ""}, core.CodeValidationFailed},
		{fields{"message": " \n "}, core.CodeValidationFailed},
		{fields{"message": strings.Repeat("é", 1001)}, core.CodeValidationFailed},
		{fields{"message": "a\x00b"}, core.CodeValidationFailed},
		{fields{}, core.CodeInvalidRequest},
		{fields{"message": nil}, core.CodeInvalidRequest},
		{fields{"message": 7}, core.CodeInvalidRequest},
		{fields{"message": "x", "sha": "y"}, core.CodeInvalidRequest},
		{[]string{"x"}, core.CodeInvalidRequest},
	} {
		if got := w.do(http.MethodPost, w.path("/versions"), test.body); got.code() != test.code {
			t.Errorf("%v: got %d %s, want %s", test.body, got.status, got.body, test.code)
		}
	}
	if made := w.save(strings.Repeat("é", 1000)); made.FilesChanged != 1 {
		t.Errorf("got %+v, want the version of one file", made)
	}
}

func TestWhileTheAgentWorksNothingIsRestored(t *testing.T) {
	onBoth(t, func(t *testing.T, program program) {
		p := &screenplay{scripts: map[string][]toolCall{"Go.": editing("a.txt", "two", "TWO")}}
		var w *work
		var first string
		p.before = func(_ string, step int) {
			if step == 1 {
				if got := w.do(http.MethodPost, w.path("/versions/"+first+"/restore"), nil); got.code() != core.CodeChatBusy {
					t.Errorf("got %d %s, want chat_busy", got.status, got.body)
				}
			}
		}
		w = p.perform(t, program)
		first = w.save("First").ID
		w.wantFiles("a.txt", tenLines)
		run := w.run("Go.")
		w.wantFiles("a.txt", with("two", "TWO"))
		if got := w.changedIn(run); got != "a.txt" {
			t.Errorf("got a version of %q, want of the run's file", got)
		}
		w.restore(first, http.StatusCreated)
		w.wantFiles("a.txt", tenLines)
	})
}

// restoreRounds is how often the process is killed during a restore.
const restoreRounds = 8

func TestKillDuringARestoreLeavesTheOldFilesOrTheNewOnes(t *testing.T) {
	t.Parallel()
	c := startCrash(t, "static-html")
	const count = 150
	write := func(round string) string {
		var operations []any
		for i := range count {
			operations = append(operations, fields{"op": "write", "path": fmt.Sprintf("src/%d.txt", i), "content": strings.Repeat(round, 500)})
		}
		operations = append(operations, fields{"op": "write", "path": "only/" + round, "content": round})
		var answer struct{ Commit string }
		c.must(http.StatusOK, http.MethodPost, c.path("/files/bulk"), fields{"operations": operations, "message": round}, &answer)
		return answer.Commit
	}
	shas := map[string]string{"old": write("old"), "new": write("new")}
	c.must(http.StatusNoContent, http.MethodDelete, c.path("/files/only/old"), nil, nil)
	shas["new"] = c.save("new").ID
	began := time.Now()
	c.restore(shas["old"], http.StatusCreated)
	takes := time.Since(began)
	outcomes := map[string]int{}
	for round := range restoreRounds {
		target := []string{"new", "old"}[round%2]
		mark := fmt.Sprintf("by hand %d", round)
		c.put("marks/"+fmt.Sprint(round), mark)
		done := make(chan int, 1)
		go func() { done <- c.aside(http.MethodPost, c.path("/versions/"+shas[target]+"/restore")) }()
		time.Sleep(time.Duration(rand.Int64N(int64(takes + takes/3))))
		c.Kill()
		status := <-done
		c.http.CloseIdleConnections()
		c.Restart()
		stands := c.standing(t, count)
		if status == http.StatusCreated && stands != target {
			t.Errorf("round %d: got %s after an acknowledged restore of %s", round, stands, target)
		}
		outcomes[fmt.Sprintf("%s acknowledged %t", map[bool]string{true: "restored", false: "as it was"}[stands == target], status == http.StatusCreated)]++
		c.checkRepository(t)
		c.wantKept(fmt.Sprint("marks/", round), mark)
		c.do(http.MethodPost, c.path("/versions/"+shas[target]+"/restore"), nil)
		if stands := c.standing(t, count); stands != target {
			t.Errorf("round %d: got %s after the second try, want %s", round, stands, target)
		}
	}
	t.Logf("%v", outcomes)
}

// aside sends a request that nobody may be left to answer, and returns the status, 0
// for none.
func (c *caller) aside(method, path string) int {
	request, err := http.NewRequest(method, c.url+path, nil)
	if err != nil {
		return 0
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := c.http.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// standing says which of two versions the files are, and fails for a mixture.
func (c *crash) standing(t *testing.T, count int) string {
	t.Helper()
	var list []struct{ Path string }
	c.must(http.StatusOK, http.MethodGet, c.path("/files"), nil, &list)
	found := map[string]int{}
	for _, file := range list {
		if name, isOnly := strings.CutPrefix(file.Path, "only/"); isOnly {
			found[name]++
		}
		if strings.HasPrefix(file.Path, "src/") {
			content := string(c.do(http.MethodGet, c.path("/files/"+file.Path), nil).body)
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

// wantKept wants what was edited by hand in the files or in a version.
func (c *crash) wantKept(path, content string) {
	c.t.Helper()
	if got := c.do(http.MethodGet, c.path("/files/"+path), nil); got.status == http.StatusOK && string(got.body) == content {
		return
	}
	for _, version := range c.versions() {
		if strings.Contains(c.showVersion(version.ID).Patch, "+"+content+"\n") {
			return
		}
	}
	c.t.Errorf("%s is lost", path)
}
