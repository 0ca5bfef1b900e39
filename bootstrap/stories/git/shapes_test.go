package git_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// pushes commits and pushes a clone's content, and checks that the project matches it.
func (c *checkout) pushes(w *storytest.Work, dir, message string) {
	c.t.Helper()
	c.commit(message)
	c.git("push", "-q", "origin", "main")
	wantInStep(w, c, dir)
}

func TestFilesAndFoldersTakeEachOthersPlace(t *testing.T) {
	w, dir := gitStory(t, storytest.Programs()["local"])
	c := clone(w)
	c.write("a/b/c.txt", "1", "a/d.txt", "2", "e", "3", "söme/näme.txt", "4", "with space/(x).txt", "5")
	c.pushes(w, dir, "Folders")
	c.git("rm", "-q", "-r", "a", "e")
	c.write("a", "a file now", "e/f/g.txt", "a folder now")
	c.pushes(w, dir, "The other way round")
	c.git("rm", "-q", "-r", "e")
	c.git("mv", "a", "e")
	c.write("a/b/c.txt", "1")
	c.pushes(w, dir, "And once more")
	c.write("run.sh", "x")
	if err := os.Chmod(filepath.Join(c.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.pushes(w, dir, "Executable")
	if err := os.Chmod(filepath.Join(c.dir, "run.sh"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.pushes(w, dir, "No longer")
	c.git("rm", "-q", "-r", ".")
	c.pushes(w, dir, "Nothing left")
	c.write("index.html", "back")
	c.pushes(w, dir, "Something again")
	if out := c.git("push", "origin", "main"); !strings.Contains(out, "up-to-date") {
		t.Errorf("got %q, want nothing to be pushed", out)
	}
}

func TestWhatIsInNoVersionIsNeverOverwritten(t *testing.T) {
	w, dir := gitStory(t, storytest.Programs()["local"])
	// Build output is in no version unless somebody writes it through the service.
	built := filepath.Join(storytest.ProjectDir(dir, w.ID), "dist", "app.js")
	if err := os.MkdirAll(filepath.Dir(built), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(built, []byte("built"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := clone(w)
	before := newest(w)
	c.write("dist/app.js", "pushed")
	c.commit("Build output")
	c.refused("dist/app.js conflicts with the change", "push", "origin", "main")
	c.git("reset", "-q", "--hard", "HEAD~1")
	c.write("dist", "pushed")
	c.commit("A file of that name")
	c.refused("dist conflicts with the change", "push", "origin", "main")
	if content, err := os.ReadFile(built); err != nil || string(content) != "built" || newest(w) != before {
		t.Errorf("got %q, %v, want what was built, and no version", content, err)
	}
	if err := os.RemoveAll(filepath.Dir(built)); err != nil {
		t.Fatal(err)
	}
	c.git("push", "-q", "origin", "main")
	w.WantFiles("dist", "pushed")
}

func TestEveryWayInWhichTheStockClientSpeaks(t *testing.T) {
	w, _ := gitStory(t, storytest.Programs()["local"])
	for round, options := range [][]string{
		{"-c", "protocol.version=0"}, {"-c", "protocol.version=1"}, {"-c", "protocol.version=2"},
		{"-c", "http.postBuffer=1"}, {"-c", "http.version=HTTP/1.1"}, {"-c", "pack.threads=1", "-c", "core.compression=0"},
	} {
		c := &checkout{t, filepath.Join(t.TempDir(), "clone")}
		address := w.GitURL(apiToken(w.Caller, gitScopes()...))
		run := func(args ...string) {
			t.Helper()
			if out, err := storytest.StockGit("/", append(append([]string{}, options...), args...)...); err != nil {
				t.Fatalf("%v %v: %v\n%s", options, args, err, out)
			}
		}
		run("clone", "-q", "--filter=blob:none", address, c.dir)
		c.write(fmt.Sprintf("round%d.txt", round), strings.Repeat("x", 100_000))
		c.commit("Round")
		run("-C", c.dir, "push", "-q", "origin", "main")
		w.Must(http.StatusOK, http.MethodPost, w.Path("/files/bulk"), storytest.Fields{"operations": []any{storytest.Fields{"op": "write", "path": "by-api.txt", "content": fmt.Sprint(round)}}}, nil)
		run("-C", c.dir, "fetch", "-q", "origin")
		c.git("reset", "-q", "--hard", "origin/main")
		c.git("fsck", "--strict", "--no-progress")
	}
}

func TestVersionsOfMergedLinesAreAllListed(t *testing.T) {
	w, dir := gitStory(t, storytest.Programs()["local"])
	c := clone(w)
	c.write("mine.txt", "mine")
	mine := c.commit("Mine")
	w.Must(http.StatusOK, http.MethodPost, w.Path("/files/bulk"), storytest.Fields{"operations": []any{storytest.Fields{"op": "write", "path": "theirs.txt", "content": "x"}}, "message": "Theirs"}, nil)
	theirs := newest(w)
	c.git("pull", "-q", "--no-rebase", "--no-edit")
	c.git("push", "-q", "origin", "main")
	wantInStep(w, c, dir)
	found := map[string]bool{}
	for next := ""; ; {
		var page struct {
			Items      []core.Version
			NextCursor *string
		}
		w.Must(http.StatusOK, http.MethodGet, w.Path("/versions?limit=1"+next), nil, &page)
		for _, version := range page.Items {
			if found[version.ID] {
				t.Errorf("got %s twice", version.Message)
			}
			found[version.ID] = true
		}
		if page.NextCursor == nil {
			break
		}
		next = "&cursor=" + *page.NextCursor
	}
	if len(found) != 4 || !found[mine] || !found[theirs] {
		t.Errorf("got %v, want the first version, both lines and where they meet", found)
	}
}

func TestPreviewAndCacheFollowAPush(t *testing.T) {
	w, _ := gitStory(t, storytest.Programs()["local"])
	c := clone(w)
	before := w.Do(http.MethodGet, w.Path("/files/index.html"), nil).Header.Get("ETag")
	c.write("index.html", "<h1>Pushed</h1>")
	c.commit("Pushed")
	c.git("push", "-q", "origin", "main")
	got := w.Do(http.MethodGet, w.Path("/files/index.html"), nil)
	if string(got.Body) != "<h1>Pushed</h1>" || got.Header.Get("ETag") == before {
		t.Errorf("got %q with the tag %s, want what was pushed", got.Body, got.Header.Get("ETag"))
	}
	var list []core.FileEntry
	w.Must(http.StatusOK, http.MethodGet, w.Path("/files"), nil, &list)
	for _, entry := range list {
		if entry.Path.String() == "index.html" && entry.ETag != got.Header.Get("ETag") {
			t.Errorf("got the tag %s listed, want %s", entry.ETag, got.Header.Get("ETag"))
		}
	}
	if answer := w.Do(http.MethodPut, w.Path("/files/index.html"), strings.NewReader("x"), "If-Match", before); answer.Code() != core.CodePreconditionFailed {
		t.Errorf("got %d for a write on the old content, want it refused", answer.Status)
	}
}
