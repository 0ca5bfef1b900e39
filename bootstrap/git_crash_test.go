package bootstrap_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestKillDuringAPushLeavesTheOldVersionOrTheNewOne(t *testing.T) {
	t.Parallel()
	c := startCrash(t, "static-html")
	clone := c.clone()
	for round := range crashRounds {
		before := c.newest()
		for i := range 150 {
			clone.write(fmt.Sprintf("dir%d/f%d.txt", i%7, i), fmt.Sprintf("round %d %s", round, strings.Repeat("x", 2000)))
		}
		clone.git("rm", "-q", "-r", "--ignore-unmatch", fmt.Sprintf("gone%d", round-1))
		clone.write(fmt.Sprintf("gone%d/x.txt", round), "x")
		pushed := clone.commit(fmt.Sprintf("Round %d", round))
		done := make(chan error, 1)
		go func() {
			_, err := stockGit(clone.dir, "push", "-q", "origin", "main")
			done <- err
		}()
		c.killWithin(250 * time.Millisecond)
		refused := <-done
		c.Restart()
		// Whoever touches the project first brings it in step.
		c.put("touched.txt", fmt.Sprint(round))
		now := c.newest()
		if refused == nil && now != pushed {
			t.Fatalf("round %d: got the version %s, want what was acknowledged", round, now)
		}
		if now != before && now != pushed {
			t.Fatalf("round %d: got the version %s, want the old one or the new one", round, now)
		}
		c.wantTreeOf(clone, now)
		if left, _ := filepath.Glob(filepath.Join(projectDir(c.Dir, c.ID), ".git", "atelier", "*")); len(left) > 1 {
			t.Fatalf("round %d: got %q left aside, want the lock alone", round, left)
		}
		c.checkRepository(t)
		c.must(http.StatusOK, http.MethodPost, c.path("/files/bulk"), fields{"operations": []any{fields{"op": "delete", "path": "touched.txt"}}}, nil)
		clone.git("fetch", "-q", "origin")
		clone.git("reset", "-q", "--hard", "origin/main")
	}
}

// wantTreeOf wants the files of a version and the touched one, and nothing else.
func (c *crash) wantTreeOf(clone *checkout, version string) {
	c.t.Helper()
	files := c.files()
	delete(files, "touched.txt")
	names := strings.Split(strings.TrimSuffix(clone.git("ls-tree", "-r", "-z", "--name-only", version), "\x00"), "\x00")
	for _, name := range names {
		if name == "touched.txt" {
			continue
		}
		want, err := stockGit(clone.dir, "cat-file", "blob", version+":"+name)
		if err != nil || files[name] != want {
			c.t.Fatalf("%s: got %.40q, want %.40q (%v)", name, files[name], want, err)
		}
		delete(files, name)
	}
	for name := range files {
		c.t.Fatalf("got %s, which is in no version", name)
	}
}

func TestAPushWaitsForTheAgent(t *testing.T) {
	address, _ := slowOllama(t)
	env := map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"}
	w := serve(t, t.TempDir(), programs()["local"].make, env).signUp().create("static-html")
	clone := w.clone()
	clone.write("x.txt", "x")
	clone.commit("While the agent works")
	w.detached("hi")
	clone.refused("the agent is working: try again when it is done", "push", "origin", "main")
	w.must(http.StatusAccepted, http.MethodPost, "/chat/"+string(w.ID)+"/stop", map[string]core.ID{"chatId": w.chat}, nil)
	w.waitIdle()
	clone.git("push", "-q", "origin", "main")
	w.wantFiles("x.txt", "x")
}

// TestAnArrivalThatACrashCutOffIsCompleted puts a project's folder into the state in
// which a crash between the files leaves it.
func TestAnArrivalThatACrashCutOffIsCompleted(t *testing.T) {
	c := startCrash(t, "static-html")
	c.put("kept.txt", "old")
	c.put("done.txt", "old")
	c.put("edited.txt", "old")
	c.put("gone.txt", "old")
	c.must(http.StatusOK, http.MethodPost, c.path("/files/bulk"), fields{"operations": []any{fields{"op": "write", "path": "folder/x.txt", "content": "old"}}, "message": "Before"}, nil)
	clone := c.clone()
	// Nothing of the rest is staged any more: what people edited is a version.
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
	c.http.CloseIdleConnections()
	project := projectDir(c.Dir, c.ID)
	clone.git("-c", "safe.directory=*", "push", "-q", project, "main:refs/heads/arriving")
	for path, content := range map[string]string{"done.txt": "new", "edited.txt": "by hand", ".git/atelier/arriving": from + " " + to + "\n"} {
		if err := os.WriteFile(filepath.Join(project, path), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.Restart()
	c.put("touched.txt", "x")
	c.wantFiles("kept.txt", "new", "done.txt", "new", "edited.txt", "by hand", "gone.txt", "-", "folder/x.txt", "-", "folder", "a file now", "run.sh", "new")
	if got := c.newest(); got != to {
		t.Errorf("got the version %s, want %s", got, to)
	}
	if info, err := os.Stat(filepath.Join(project, "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("got %v, %v, want it executable", info, err)
	}
	if _, err := os.Stat(filepath.Join(project, ".git", "atelier", "arriving")); err == nil {
		t.Error("got the note still, want it gone")
	}
	c.checkRepository(t)
}
