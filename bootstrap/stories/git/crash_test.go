package git_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

func TestKillDuringAPushLeavesTheOldVersionOrTheNewOne(t *testing.T) {
	t.Parallel()
	c := storytest.StartCrash(t, "static-html")
	clone := clone(c.Work)
	for round := range storytest.CrashRounds {
		before := newest(c.Work)
		for i := range 150 {
			clone.write(fmt.Sprintf("dir%d/f%d.txt", i%7, i), fmt.Sprintf("round %d %s", round, strings.Repeat("x", 2000)))
		}
		clone.git("rm", "-q", "-r", "--ignore-unmatch", fmt.Sprintf("gone%d", round-1))
		clone.write(fmt.Sprintf("gone%d/x.txt", round), "x")
		pushed := clone.commit(fmt.Sprintf("Round %d", round))
		done := make(chan error, 1)
		go func() {
			_, err := storytest.StockGit(clone.dir, "push", "-q", "origin", "main")
			done <- err
		}()
		c.KillWithin(250 * time.Millisecond)
		refused := <-done
		c.Restart()
		// The next access to the project synchronizes it.
		c.Put("touched.txt", fmt.Sprint(round))
		now := newest(c.Work)
		if refused == nil && now != pushed {
			t.Fatalf("round %d: got the version %s, want what was acknowledged", round, now)
		}
		if now != before && now != pushed {
			t.Fatalf("round %d: got the version %s, want the old one or the new one", round, now)
		}
		wantTreeOf(c, clone, now)
		if left, _ := filepath.Glob(filepath.Join(storytest.ProjectDir(c.Dir, c.ID), ".git", "atelier", "*")); len(left) > 1 {
			t.Fatalf("round %d: got %q left aside, want the lock alone", round, left)
		}
		c.CheckRepository(t)
		c.Must(http.StatusOK, http.MethodPost, c.Path("/files/bulk"), storytest.Fields{"operations": []any{storytest.Fields{"op": "delete", "path": "touched.txt"}}}, nil)
		clone.git("fetch", "-q", "origin")
		clone.git("reset", "-q", "--hard", "origin/main")
	}
}

// wantTreeOf wants the files of a version and the touched one, and nothing else.
func wantTreeOf(c *storytest.Crash, clone *checkout, version string) {
	c.T.Helper()
	files := c.Files()
	delete(files, "touched.txt")
	names := strings.Split(strings.TrimSuffix(clone.git("ls-tree", "-r", "-z", "--name-only", version), "\x00"), "\x00")
	for _, name := range names {
		if name == "touched.txt" {
			continue
		}
		want, err := storytest.StockGit(clone.dir, "cat-file", "blob", version+":"+name)
		if err != nil || files[name] != want {
			c.T.Fatalf("%s: got %.40q, want %.40q (%v)", name, files[name], want, err)
		}
		delete(files, name)
	}
	for name := range files {
		c.T.Fatalf("got %s, which is in no version", name)
	}
}

func TestAPushWaitsForTheAgent(t *testing.T) {
	address, _ := storytest.SlowOllama(t)
	env := map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"}
	w := storytest.Serve(t, t.TempDir(), storytest.Programs()["local"].Make, env).SignUp().Create("static-html")
	clone := clone(w)
	clone.write("x.txt", "x")
	clone.commit("While the agent works")
	w.Detached("hi")
	clone.refused("the agent is working: try again when it is done", "push", "origin", "main")
	w.Must(http.StatusAccepted, http.MethodPost, "/chat/"+string(w.ID)+"/stop", map[string]core.ID{"chatId": w.Chat}, nil)
	w.WaitIdle()
	clone.git("push", "-q", "origin", "main")
	w.WantFiles("x.txt", "x")
}

// TestAnArrivalThatACrashCutOffIsCompleted puts a project's folder into the state in
// which a crash between the files leaves it.
func TestAnArrivalThatACrashCutOffIsCompleted(t *testing.T) {
	c := storytest.StartCrash(t, "static-html")
	c.Put("kept.txt", "old")
	c.Put("done.txt", "old")
	c.Put("edited.txt", "old")
	c.Put("gone.txt", "old")
	c.Must(http.StatusOK, http.MethodPost, c.Path("/files/bulk"), storytest.Fields{"operations": []any{storytest.Fields{"op": "write", "path": "folder/x.txt", "content": "old"}}, "message": "Before"}, nil)
	clone := clone(c.Work)
	// Nothing of the rest is staged any more: people's edits are a version.
	clone.write("x.txt", "x")
	clone.commit("x")
	clone.refused("fetch first", "push", "origin", "main")
	clone.git("fetch", "-q")
	clone.git("reset", "-q", "--hard", "origin/main")
	from := clone.git("rev-parse", "HEAD")
	clone.git("rm", "-q", "gone.txt", "folder/x.txt")
	clone.write("kept.txt", "new", "done.txt", "new", "edited.txt", "new", "folder", "a file now", "run.sh", "new")
	if err := os.Chmod(filepath.Join(clone.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	to := clone.commit("Cut off")
	c.Kill()
	c.Client.CloseIdleConnections()
	project := storytest.ProjectDir(c.Dir, c.ID)
	clone.git("-c", "safe.directory=*", "push", "-q", project, "main:refs/heads/arriving")
	for path, content := range map[string]string{"done.txt": "new", "edited.txt": "by hand", ".git/atelier/arriving": from + " " + to + "\n"} {
		if err := os.WriteFile(filepath.Join(project, path), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.Restart()
	c.Put("touched.txt", "x")
	c.WantFiles("kept.txt", "new", "done.txt", "new", "edited.txt", "by hand", "gone.txt", "-", "folder/x.txt", "-", "folder", "a file now", "run.sh", "new")
	if got := newest(c.Work); got != to {
		t.Errorf("got the version %s, want %s", got, to)
	}
	if info, err := os.Stat(filepath.Join(project, "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("got %v, %v, want it executable", info, err)
	}
	if _, err := os.Stat(filepath.Join(project, ".git", "atelier", "arriving")); err == nil {
		t.Error("got the note still, want it gone")
	}
	c.CheckRepository(t)
}
