package worktreetest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/worktree"
)

func oddityClauses() []clause {
	return []clause{
		{"reads through links that lead out are refused", linksOutRead},
		{"changes through links that lead out are refused", linksOutChanged},
		{"links that stay inside are not followed either", linksInside},
		{"a link to the repository opens no way into it", linkToRepository},
		{"pipes, sockets and devices are not opened", pipes},
		{"walks and views show neither links nor the repository", oddListing},
		{"names that no path can hold are passed over", oddNames},
		{"a deleted directory takes its links along, not their targets", deletesLinks},
		{"a write keeps a file executable", keepsExecutable},
		{"a write is later than a time in the future", timeNeverGoesBack},
		{"a change leaves nothing else behind", leavesNothing},
		{"a directory that is swapped for a link never leads out", swappedLink},
	}
}

// plantedTree is a tree with a file outside that no call may read or change.
type plantedTree struct {
	worktree.Tree
	dir, outside, secret string
}

const secretText = "outside"

func plant(t *testing.T, h Harness) plantedTree {
	t.Helper()
	project := core.NewID()
	p := plantedTree{Tree: Create(t, h, project), dir: h.Dir(project), outside: t.TempDir()}
	p.secret = filepath.Join(p.outside, "secret")
	conformance.Must(t, os.WriteFile(p.secret, []byte(secretText), 0o600))
	return p
}

func (p plantedTree) link(t *testing.T, target, name string) {
	t.Helper()
	conformance.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o755))
	conformance.Must(t, os.Symlink(target, filepath.Join(p.dir, name)))
}

// wantUntouched checks that the file outside is unchanged.
func (p plantedTree) wantUntouched(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(p.outside)
	content, readErr := os.ReadFile(p.secret)
	if err != nil || readErr != nil || len(entries) != 1 || string(content) != secretText {
		t.Errorf("outside: got %d entries, %q, %v, %v, want it untouched", len(entries), content, err, readErr)
	}
}

// plantOut plants links that lead out in every way and returns paths at and
// behind them.
func (p plantedTree) plantOut(t *testing.T) []string {
	t.Helper()
	up := filepath.Join("..", "..", "..", "..", "..", "..", "..", "..")
	p.link(t, p.secret, "absolute")
	p.link(t, filepath.Join(up, p.secret), "relative")
	p.link(t, p.outside, "dir")
	p.link(t, filepath.Join(up, p.outside), "sub/dir")
	p.link(t, "absolute", "chain1")
	p.link(t, "chain1", "chain2")
	p.link(t, "dir", "dirchain")
	p.link(t, filepath.Join(p.outside, "absent"), "dangling")
	p.link(t, "../../../absent", "danglingup")
	p.link(t, "..", "parent")
	p.link(t, "/proc/self/root", "proc")
	return []string{
		"absolute", "relative", "dir", "dir/secret", "dir/new", "dir/new/deep", "sub/dir/secret", "chain1", "chain2", "dirchain/secret",
		"dangling", "danglingup", "parent", "parent/x", "proc" + p.secret,
	}
}

func linksOutRead(t *testing.T, h Harness) {
	p := plant(t, h)
	for _, path := range p.plantOut(t) {
		_, err := p.Open(t.Context(), core.MustPath(path))
		conformance.WantCode(t, "opening "+path, err, core.CodePathTraversal)
		_, err = p.Stat(t.Context(), core.MustPath(path))
		conformance.WantCode(t, "describing "+path, err, core.CodePathTraversal)
		if _, err := fs.ReadFile(p.FS(), path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("viewing %s: got %v, want fs.ErrNotExist", path, err)
		}
	}
	p.wantUntouched(t)
}

func linksOutChanged(t *testing.T, h Harness) {
	p := plant(t, h)
	WriteFile(t, p, "file", "file")
	for _, path := range p.plantOut(t) {
		changes := []core.FileChange{
			Writing(path, "x"), Deleting(path), Renaming(path, "stolen"), Renaming("file", path),
		}
		for i, result := range p.Apply(t.Context(), changes) {
			conformance.WantCode(t, path+": "+string(changes[i].Op), result.Err, core.CodePathTraversal)
		}
	}
	wantContent(t, p, "file", "file")
	wantPaths(t, p, "file")
	p.wantUntouched(t)
}

func linksInside(t *testing.T, h Harness) {
	p := plant(t, h)
	WriteFile(t, p, "real/file", "real")
	p.link(t, "real/file", "link")
	p.link(t, "real", "linked")
	p.link(t, "absent", "dangling")
	p.link(t, "loop", "loop")
	for _, path := range []string{"link", "linked", "linked/file", "dangling", "loop", "loop/x"} {
		_, err := p.Open(t.Context(), core.MustPath(path))
		conformance.WantCode(t, "opening "+path, err, core.CodeNotFound)
		_, err = p.Stat(t.Context(), core.MustPath(path))
		conformance.WantCode(t, "describing "+path, err, core.CodeNotFound)
		results := p.Apply(t.Context(), []core.FileChange{Deleting(path), Renaming(path, "stolen")})
		conformance.WantCode(t, "deleting "+path, results[0].Err, core.CodeNotFound)
		conformance.WantCode(t, "renaming "+path, results[1].Err, core.CodeNotFound)
	}
	results := p.Apply(t.Context(), []core.FileChange{
		Writing("linked/new", "x"), Writing("link", "own"), Writing("dangling", "own"),
		Renaming("dangling", "loop"), Renaming("real", "linked"),
	})
	for i, want := range []core.Code{core.CodeConflict, "", "", "", ""} {
		conformance.WantCode(t, "changing a link", results[i].Err, want)
	}
	if !results[1].Created || !results[3].Created || !results[4].Created {
		t.Errorf("got %+v, want files that count as created", results[1:])
	}
	wantPaths(t, p, "link", "linked/file", "loop")
	wantContent(t, p, "link", "own")
	wantContent(t, p, "loop", "own")
	wantContent(t, p, "linked/file", "real")
}

func linkToRepository(t *testing.T, h Harness) {
	p := plant(t, h)
	conformance.Must(t, os.MkdirAll(filepath.Join(p.dir, ".git", "hooks"), 0o755))
	config := filepath.Join(p.dir, ".git", "config")
	conformance.Must(t, os.WriteFile(config, []byte("safe"), 0o644))
	p.link(t, ".git", "repo")
	p.link(t, ".git/hooks", "hooks")
	p.link(t, ".git/config", "config")
	for _, path := range []string{"repo/config", "repo/hooks/pre-commit", "hooks/pre-commit"} {
		_, err := p.Open(t.Context(), core.MustPath(path))
		conformance.WantCode(t, "opening "+path, err, core.CodeNotFound)
		result := p.Apply(t.Context(), []core.FileChange{Writing(path, "#!/bin/sh")})[0]
		conformance.WantCode(t, "writing "+path, result.Err, core.CodeConflict)
	}
	WriteFile(t, p, "config", "fsmonitor")
	for _, name := range []string{".git/config", ".GIT/config", "repo/config", ".git"} {
		if _, err := fs.ReadFile(p.FS(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("viewing %s: got %v, want fs.ErrNotExist", name, err)
		}
	}
	content, err := os.ReadFile(config)
	hooks, _ := os.ReadDir(filepath.Join(p.dir, ".git", "hooks"))
	if err != nil || string(content) != "safe" || len(hooks) != 0 {
		t.Errorf("repository: got %q, %v and %d hooks, want it untouched", content, err, len(hooks))
	}
}

func pipes(t *testing.T, h Harness) {
	p := plant(t, h)
	conformance.Must(t, syscall.Mkfifo(filepath.Join(p.dir, "pipe"), 0o644))
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	conformance.Must(t, err)
	defer syscall.Close(socket)
	t.Chdir(p.dir)
	conformance.Must(t, syscall.Bind(socket, &syscall.SockaddrUnix{Name: "socket"}))
	for _, path := range []string{"pipe", "socket", "pipe/below"} {
		_, err := p.Open(t.Context(), core.MustPath(path))
		conformance.WantCode(t, "opening "+path, err, core.CodeNotFound)
		_, err = p.Stat(t.Context(), core.MustPath(path))
		conformance.WantCode(t, "describing "+path, err, core.CodeNotFound)
		if _, err := fs.ReadFile(p.FS(), path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("viewing %s: got %v, want fs.ErrNotExist", path, err)
		}
	}
	wantPaths(t, p)
	conformance.WantCode(t, "writing below a pipe", p.Apply(t.Context(), []core.FileChange{Writing("pipe/x", "x")})[0].Err, core.CodeConflict)
	WriteFile(t, p, "pipe", "a file")
	WriteFile(t, p, "socket", "a file")
	wantPaths(t, p, "pipe", "socket")
}

func oddListing(t *testing.T, h Harness) {
	p := plant(t, h)
	WriteFile(t, p, "sub/file", "x")
	p.plantOut(t)
	p.link(t, "sub", "inside")
	conformance.Must(t, os.MkdirAll(filepath.Join(p.dir, ".git"), 0o755))
	conformance.Must(t, os.WriteFile(filepath.Join(p.dir, ".git", "HEAD"), []byte("ref"), 0o644))
	conformance.Must(t, os.MkdirAll(filepath.Join(p.dir, "sub", ".git"), 0o755))
	conformance.Must(t, os.WriteFile(filepath.Join(p.dir, "sub", ".git", "config"), []byte("x"), 0o644))
	wantPaths(t, p, "sub/file")
	var seen []string
	err := fs.WalkDir(p.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		seen = append(seen, path)
		return err
	})
	if want := []string{".", "sub", "sub/file"}; err != nil || !slices.Equal(seen, want) {
		t.Errorf("view: got %q, %v, want %q", seen, err, want)
	}
}

func oddNames(t *testing.T, h Harness) {
	p := plant(t, h)
	WriteFile(t, p, "good", "x")
	for _, name := range []string{"a\nb", "back\\slash", "CON", "trailing.", " lead", "bad\xffutf8", "aux.js", "colon:"} {
		conformance.Must(t, os.WriteFile(filepath.Join(p.dir, name), []byte("x"), 0o644))
		conformance.Must(t, os.MkdirAll(filepath.Join(p.dir, name+".d", "aux"), 0o755))
		conformance.Must(t, os.WriteFile(filepath.Join(p.dir, name+".d", "aux", "x"), []byte("x"), 0o644))
	}
	wantPaths(t, p, "good")
	if content, err := fs.ReadFile(p.FS(), "aux.js"); err != nil || string(content) != "x" {
		t.Errorf("view of aux.js: got %q, %v, want it for builders", content, err)
	}
}

func deletesLinks(t *testing.T, h Harness) {
	p := plant(t, h)
	WriteFile(t, p, "keep/file", "keep")
	p.link(t, p.outside, "gone/out")
	p.link(t, "../keep", "gone/in")
	result := p.Apply(t.Context(), []core.FileChange{Deleting("gone")})[0]
	if result.Err != nil {
		t.Errorf("got %v, want nil", result.Err)
	}
	wantContent(t, p, "keep/file", "keep")
	p.wantUntouched(t)
}

func keepsExecutable(t *testing.T, h Harness) {
	p := plant(t, h)
	WriteFile(t, p, "run.sh", "one")
	file := filepath.Join(p.dir, "run.sh")
	conformance.Must(t, os.Chmod(file, 0o755))
	WriteFile(t, p, "run.sh", "two")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("got %v, %v, want it executable", info.Mode(), err)
	}
	WriteFile(t, p, "plain", "x")
	if info, err = os.Stat(filepath.Join(p.dir, "plain")); err != nil || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("got %v, %v, want a new file not executable", info.Mode(), err)
	}
}

func timeNeverGoesBack(t *testing.T, h Harness) {
	p := plant(t, h)
	WriteFile(t, p, "a", "one")
	future := time.Now().Add(time.Hour)
	conformance.Must(t, os.Chtimes(filepath.Join(p.dir, "a"), future, future))
	last := future.UnixNano()
	for _, content := range []string{"two", "six", "ten"} {
		info := WriteFile(t, p, "a", content)
		stat, err := p.Stat(t.Context(), core.MustPath("a"))
		if err != nil || info.ModifiedNano <= last || stat != info {
			t.Errorf("got %+v, then %+v, %v, want a time after %d", info, stat, err, last)
		}
		last = info.ModifiedNano
	}
}

func leavesNothing(t *testing.T, h Harness) {
	p := plant(t, h)
	WriteFile(t, p, "dir/a", "a")
	p.Apply(t.Context(), []core.FileChange{
		Writing("dir", "refused"), Writing("dir/a/b", "refused"), Writing("b", "b"), Deleting("dir"),
	})
	var left []string
	root := filepath.Dir(p.dir)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if !entry.IsDir() && filepath.Dir(path) != filepath.Join(root, ".atelier") && filepath.Ext(path) != ".lock" {
			left = append(left, path)
		}
		return err
	})
	if want := []string{filepath.Join(p.dir, "b")}; err != nil || !slices.Equal(left, want) {
		t.Errorf("got the files %q, %v, want %q", left, err, want)
	}
}

// swappedLink swaps a directory for a link to the outside, over and over,
// while files below it are written and read.
func swappedLink(t *testing.T, h Harness) {
	p := plant(t, h)
	WriteFile(t, p, "real/secret", "inside")
	swap, aside := filepath.Join(p.dir, "swap"), filepath.Join(p.dir, "aside")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 300 {
			_ = os.Symlink(p.outside, swap)
			_ = os.Remove(swap)
			_ = os.Mkdir(swap, 0o755)
			_ = os.Rename(swap, aside)
			_ = os.RemoveAll(aside)
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		p.Apply(t.Context(), []core.FileChange{Writing("swap/secret", "changed"), Deleting("swap/secret")})
		if content, err := fs.ReadFile(p.FS(), "swap/secret"); err == nil && string(content) == secretText {
			t.Error("got the content from outside, want never")
		}
	}
	p.wantUntouched(t)
}
