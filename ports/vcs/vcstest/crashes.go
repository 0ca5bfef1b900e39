package vcstest

import (
	"bytes"
	"compress/zlib"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/worktree"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

func crashClauses() []clause {
	return []clause{
		{"repair of a sound repository changes nothing", repairsNothing},
		{"repair clears stale locks", repairsLocks},
		{"repair clears half-written files", repairsLeftovers},
		{"repair makes an unreadable index anew", repairsIndex},
		{"repair replaces torn objects", repairsObjects},
		{"a repository that is half made is completed", completesInit},
	}
}

func (p *project) git(name string) string {
	return filepath.Join(p.h.Dir(p.id), ".git", filepath.FromSlash(name))
}

// plant leaves a file in the repository.
func (p *project) plant(t *testing.T, name, content string) {
	t.Helper()
	conformance.Must(t, os.MkdirAll(filepath.Dir(p.git(name)), 0o755))
	conformance.Must(t, os.WriteFile(p.git(name), []byte(content), 0o644))
}

// repair opens the repositories as after a restart, repairs, and stages the tree
// again if the index was rebuilt.
func (p *project) repair(t *testing.T, wantRebuilt bool) {
	t.Helper()
	// What a process wrote before it died is older than the next one's start, even
	// by the coarse clock of the file system.
	time.Sleep(20 * time.Millisecond)
	p.repo = p.h.Reopen()
	rebuilt, err := p.repo.Repair(t.Context(), p.id)
	if err != nil || rebuilt != wantRebuilt {
		t.Fatalf("repair: got rebuilt %v, %v, want %v", rebuilt, err, wantRebuilt)
	}
	if !rebuilt {
		return
	}
	var changes []core.FileChange
	conformance.Must(t, p.tree.Walk(t.Context(), func(info worktree.Info) error {
		content, err := fs.ReadFile(p.tree.FS(), info.Path.String())
		changes = append(changes, core.FileChange{Op: core.OpWrite, Path: info.Path, Content: content})
		return err
	}))
	conformance.Must(t, p.repo.Stage(t.Context(), p.id, changes))
}

// wantUsable saves and commits once more.
func (p *project) wantUsable(t *testing.T) {
	t.Helper()
	p.wantStaged(t)
	p.save(t, worktreetest.Writing("after/repair", string(core.NewID())))
	p.wantStaged(t)
	p.commit(t, "after the repair")
}

func (p *project) history(t *testing.T) {
	t.Helper()
	p.save(t, worktreetest.Writing("a", "a"), worktreetest.Writing("d/b", "b"))
	p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "second"), worktreetest.Writing("d/c", "c"))
}

func repairsNothing(t *testing.T, p *project) {
	p.history(t)
	p.repair(t, false)
	p.wantUsable(t)
}

func repairsLocks(t *testing.T, p *project) {
	p.history(t)
	locks := []string{"index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/tags/v1.lock", "packed-refs.lock", "config.lock", "logs/HEAD.lock"}
	for _, lock := range locks {
		p.plant(t, lock, "half of someth")
	}
	p.repair(t, false)
	for _, lock := range locks {
		if _, err := os.Lstat(p.git(lock)); err == nil {
			t.Errorf("%s: got it still there, want it cleared", lock)
		}
	}
	p.wantUsable(t)
}

func repairsLeftovers(t *testing.T, p *project) {
	p.history(t)
	left := []string{
		"objects/tmp_obj_a", "objects/1f/tmp_obj_b", "objects/pack/tmp_pack_c", "objects/pack/tmp_idx_d",
		"objects/pack/pack-" + strings.Repeat("0", 40) + ".pack",
	}
	for _, name := range left {
		p.plant(t, name, "half of someth")
	}
	p.repair(t, false)
	for _, name := range left {
		if _, err := os.Lstat(p.git(name)); err == nil {
			t.Errorf("%s: got it still there, want it cleared", name)
		}
	}
	p.wantUsable(t)
}

func repairsIndex(t *testing.T, p *project) {
	p.history(t)
	sound, err := os.ReadFile(p.git("index"))
	conformance.Must(t, err)
	flipped := []byte(string(sound))
	flipped[len(flipped)/2] ^= 1
	for _, damaged := range [][]byte{nil, {}, sound[:1], sound[:len(sound)/2], sound[:len(sound)-1], flipped, []byte("DIRC"), append(sound, 0)} {
		if damaged == nil {
			conformance.Must(t, os.Remove(p.git("index")))
		} else {
			conformance.Must(t, os.WriteFile(p.git("index"), damaged, 0o644))
		}
		err := p.repo.Stage(t.Context(), p.id, []core.FileChange{worktreetest.Writing("a", "second")})
		conformance.WantCode(t, "a stage before the repair", err, core.CodeUnavailable)
		_, err = p.repo.Staged(t.Context(), p.id)
		conformance.WantCode(t, "staged before the repair", err, core.CodeUnavailable)
		p.repair(t, true)
		p.wantStaged(t)
	}
	p.wantUsable(t)
}

func repairsObjects(t *testing.T, p *project) {
	p.history(t)
	// The first of these is named by nothing any more.
	p.save(t, worktreetest.Writing("x", "replaced"))
	p.save(t, worktreetest.Writing("x", "x"))
	torn := 0
	conformance.Must(t, filepath.WalkDir(p.git("objects"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || len(entry.Name()) != 38 {
			return err
		}
		content, err := os.ReadFile(path)
		conformance.Must(t, err)
		if tellObject(t, content) != "blob" {
			return nil
		}
		torn++
		conformance.Must(t, os.Remove(path))
		return os.WriteFile(path, content[:len(content)*(torn%2)/2], 0o444)
	}))
	if torn == 0 {
		t.Fatal("got no object to tear, want some")
	}
	p.repair(t, true)
	for path, content := range map[string]string{"a": "a", "d/b": "b"} {
		// The first version refers to these blobs: staging the contents again heals
		// it.
		p.save(t, worktreetest.Writing(path, content))
	}
	p.wantUsable(t)
}

func completesInit(t *testing.T, p *project) {
	for _, name := range []string{"HEAD", "config", "objects/pack", "refs/tags", "refs/heads"} {
		conformance.Must(t, os.RemoveAll(p.git("HEAD")))
		conformance.Must(t, os.RemoveAll(p.git(name)))
		_, err := p.repo.Staged(t.Context(), p.id)
		conformance.WantCode(t, "a repository without HEAD", err, core.CodeNotFound)
		conformance.Must(t, p.repo.Init(t.Context(), p.id))
	}
	p.save(t, worktreetest.Writing("a", "a"))
	p.wantUsable(t)
}

// tellObject returns the beginning of a loose object: its kind.
func tellObject(t *testing.T, loose []byte) string {
	t.Helper()
	inflated, err := zlib.NewReader(bytes.NewReader(loose))
	conformance.Must(t, err)
	kind := make([]byte, 4)
	_, err = io.ReadFull(inflated, kind)
	conformance.Must(t, err)
	return string(kind)
}
