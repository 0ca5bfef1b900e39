package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/core"
)

func TestTreesOutliveTheProcess(t *testing.T) {
	root := filepath.Join(t.TempDir(), "deep", "projects")
	first := newTrees(t, root)
	project := core.NewID()
	if err := first.Create(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	first.Close()
	second := newTrees(t, root)
	if _, err := second.Open(t.Context(), project); err != nil {
		t.Errorf("got %v, want the tree", err)
	}
	if first.Identity() == "" || second.Identity() != first.Identity() {
		t.Errorf("got the identities %q and %q, want one", first.Identity(), second.Identity())
	}
	if other := newTrees(t, t.TempDir()); other.Identity() == first.Identity() {
		t.Error("got one identity for two folders, want two")
	}
}

func TestAnotherDiskIsNotTakenForTheOld(t *testing.T) {
	root := t.TempDir()
	trees := newTrees(t, root)
	project := core.NewID()
	if err := trees.Create(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	restore := hide(t, root)
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	newTrees(t, root)
	_, err := trees.Open(t.Context(), project)
	if !core.IsCode(err, core.CodeUnavailable) || !core.IsCode(trees.Check(t.Context()), core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	restore()
	if _, err := trees.Open(t.Context(), project); err != nil {
		t.Errorf("after it came back: got %v, want the tree", err)
	}
}

func TestStartRemovesWhatDeadProcessesLeft(t *testing.T) {
	root := t.TempDir()
	alive := newTrees(t, root)
	temps := filepath.Join(root, ".atelier", "tmp")
	mine, err := filepath.Glob(filepath.Join(temps, "*"))
	if err != nil || len(mine) != 2 {
		t.Fatalf("got %q, %v, want a folder and its lock", mine, err)
	}
	dead := filepath.Join(temps, string(core.NewID()))
	orphan := filepath.Join(temps, "orphan")
	for _, dir := range []string{dead, orphan} {
		if err := os.MkdirAll(filepath.Join(dir, "deleted", "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "1"), []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(dead+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	newTrees(t, root).Close()
	left, err := filepath.Glob(filepath.Join(temps, "*"))
	if err != nil || len(left) != 2 || left[0] != mine[0] || left[1] != mine[1] {
		t.Errorf("got %q, %v, want only what the living process has, %q", left, err, mine)
	}
	if err := alive.Check(t.Context()); err != nil {
		t.Errorf("the living process: got %v, want nil", err)
	}
}

func TestUnusableFolderIsUnavailable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.NewTrees(file); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("trees: got %v, want code %s", err, core.CodeUnavailable)
	}
	if _, err := disk.NewSites(filepath.Join(file, "below")); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("sites: got %v, want code %s", err, core.CodeUnavailable)
	}
}

func TestFolderBehindALinkWorks(t *testing.T) {
	real, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	trees := newTrees(t, link)
	project := core.NewID()
	if err := trees.Create(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	tree, err := trees.Open(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	change := core.FileChange{Op: core.OpWrite, Path: core.MustPath("a/b"), Content: []byte("x")}
	if err := tree.Apply(t.Context(), []core.FileChange{change})[0].Err; err != nil {
		t.Errorf("got %v, want the write", err)
	}
}
