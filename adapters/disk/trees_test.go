package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

func TestTrees(t *testing.T) {
	worktreetest.Run(t, func(t *testing.T) worktreetest.Harness {
		root := filepath.Join(t.TempDir(), "projects")
		return worktreetest.Harness{
			Trees: newTrees(t, root),
			Hide:  func() func() { return hide(t, root) },
			Dir:   func(project core.ID) string { return filepath.Join(root, string(project)) },
		}
	})
}

func newTrees(t testing.TB, root string) *disk.Trees {
	t.Helper()
	trees, err := disk.NewTrees(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trees.Close() })
	return trees
}

// hide replaces the folder by an empty mount point.
func hide(t *testing.T, root string) (restore func()) {
	t.Helper()
	away := root + ".away"
	for _, err := range []error{os.Rename(root, away), os.Mkdir(root, 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		for _, err := range []error{os.Remove(root), os.Rename(away, root)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
