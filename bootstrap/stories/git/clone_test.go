package git_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// gitStory serves a program that keeps its data where the story can look at it.
func gitStory(t *testing.T, program storytest.Program) (*storytest.Work, string) {
	t.Helper()
	dir := t.TempDir()
	return storytest.Serve(t, dir, program.Make, program.Env(t)).SignUp().Create("static-html"), dir
}

func TestAProjectIsClonedChangedAndPushed(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		w, dir := gitStory(t, program)
		c := clone(w)
		wantInStep(w, c, dir)
		c.write("index.html", "<h1>Pushed</h1>", "a/b/c.txt", "new", "empty", "")
		if err := os.Remove(filepath.Join(c.dir, "style.css")); err != nil {
			t.Fatal(err)
		}
		first := c.commit("First push")
		c.write("run.sh", "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(c.dir, "run.sh"), 0o755); err != nil {
			t.Fatal(err)
		}
		second := c.commit("Second push\n\nWith more to say.")
		c.git("push", "-q", "origin", "main")
		wantInStep(w, c, dir)
		versions := w.Versions()
		if len(versions) != 2 || versions[0].ID != second || versions[1].ID != first {
			t.Fatalf("got %+v, want the two commits under their own ids", versions)
		}
		if want := (core.Author{Kind: core.AuthorUser, Name: "Stock"}); versions[1].Author != want || versions[1].Message != "First push" || versions[1].FilesChanged != 4 {
			t.Errorf("got %+v, want First push by %+v with 4 files", versions[1], want)
		}
		w.Put("index.html", "<h1>Edited</h1>")
		w.Must(http.StatusOK, http.MethodPost, w.Path("/files/bulk"), storytest.Fields{"operations": []any{storytest.Fields{"op": "write", "path": "more.txt", "content": "x"}}, "message": "By the API"}, nil)
		c.git("pull", "-q", "--ff-only")
		if got := c.git("log", "-1", "--format=%s"); got != "By the API" {
			t.Errorf("got %q pulled, want the newest version", got)
		}
		if content, err := os.ReadFile(filepath.Join(c.dir, "more.txt")); err != nil || string(content) != "x" {
			t.Errorf("got %q, %v, want the file of the bulk", content, err)
		}
		if info, err := os.Stat(filepath.Join(c.dir, "run.sh")); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("got %v, %v, want it executable still", info, err)
		}
	})
}

func TestAPushThatWouldLoseSomethingIsRefused(t *testing.T) {
	w, dir := gitStory(t, storytest.Programs()["local"])
	c := clone(w)
	c.write("mine.txt", "mine")
	c.commit("Mine")
	w.Put("theirs.txt", "theirs, in no version yet")
	c.refused("fetch first: the project has changed", "push", "origin", "main")
	if versions := w.Versions(); versions[0].Message != "Edited by hand" {
		t.Fatalf("got %+v, want what was edited as a version of its own", versions)
	}
	c.refused("fetch first", "push", "origin", "main")
	c.refused("non-fast-forward: versions cannot be removed", "push", "--force", "origin", "main")
	c.git("pull", "-q", "--no-rebase", "--no-edit")
	c.git("push", "-q", "origin", "main")
	wantInStep(w, c, dir)
	if files := w.Files(); files["mine.txt"] != "mine" || files["theirs.txt"] != "theirs, in no version yet" {
		t.Errorf("got %q, want both", files)
	}
}

// TestAPushOfPointersSaysThatTheirContentsAreMissing, once for each pointer.
func TestAPushOfPointersSaysThatTheirContentsAreMissing(t *testing.T) {
	w, dir := gitStory(t, storytest.Programs()["local"])
	c := clone(w)
	c.write("a.txt", "x")
	c.write("img/v.png", "version https://git-lfs.github.com/spec/v1\noid sha256:0000000000000000000000000000000000000000000000000000000000000001\nsize 5\n")
	c.commit("A pointer")
	if got := c.git("push", "origin", "main"); !strings.Contains(got, "remote: warning: the contents of these files are not here") || !strings.Contains(got, "remote:   img/v.png") {
		t.Errorf("got %q, want the pointer named", got)
	}
	wantInStep(w, c, dir)
	c.write("a.txt", "y")
	c.commit("Something else")
	if got := c.git("push", "origin", "main"); strings.Contains(got, "warning") {
		t.Errorf("got %q, want no warning of what was there before", got)
	}
}

func TestOnlyMainIsKept(t *testing.T) {
	w, dir := gitStory(t, storytest.Programs()["local"])
	c := clone(w)
	before := w.Versions()
	const elsewhere = "only the branch main can be pushed"
	c.refused(elsewhere, "push", "origin", "main:refs/heads/other")
	c.git("tag", "-a", "-m", "x", "v1")
	c.refused(elsewhere, "push", "origin", "v1")
	c.refused("main cannot be deleted", "push", "origin", ":main")
	c.refused(elsewhere, "push", "origin", ":refs/heads/other")
	if after := w.Versions(); len(after) != len(before) {
		t.Errorf("got %+v, want nothing changed", after)
	}
	c.write("x.txt", "x")
	c.commit("On main and on a branch")
	c.refused(elsewhere, "push", "origin", "main", "main:refs/heads/other")
	wantInStep(w, c, dir)
	if got := c.git("ls-remote", "origin"); strings.Contains(got, "other") || !strings.Contains(got, "refs/heads/main") {
		t.Errorf("got the refs %q, want main alone", got)
	}
}
