package disk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// TestWhatWasOnItsWayCannotComeAfterARepair has one process about to put a content in its
// place when another repairs the tree, as it does once it has the project's lock.
func TestWhatWasOnItsWayCannotComeAfterARepair(t *testing.T) {
	root := t.TempDir()
	still, other := openedTrees(t, root), openedTrees(t, root)
	project, elsewhere := core.NewID(), core.NewID()
	for _, id := range []core.ID{project, elsewhere} {
		if err := still.Create(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	late, its := batchOf(t, still, project), batchOf(t, still, elsewhere)
	if err := other.Repair(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	late.carryOut(t.Context(), 0)
	if err := late.results[0].Err; !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
	if _, err := os.Lstat(filepath.Join(root, string(project), "a.txt")); err == nil {
		t.Error("got a file that came after the repair, want none")
	}
	if its.carryOut(t.Context(), 0); its.results[0].Err != nil {
		t.Errorf("another project: got %v, want nil", its.results[0].Err)
	}
}

func openedTrees(t *testing.T, root string) *Trees {
	t.Helper()
	trees, err := NewTrees(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trees.Close() })
	return trees
}

// batchOf is a write whose content is about to be renamed into place.
func batchOf(t *testing.T, trees *Trees, project core.ID) *batch {
	t.Helper()
	opened, err := trees.Open(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	write := core.FileChange{Op: core.OpWrite, Path: core.MustPath("a.txt"), Content: []byte("a")}
	b := newBatch(t.Context(), opened.(*tree), []core.FileChange{write})
	b.writeTemps(t.Context())
	t.Cleanup(func() { b.syncDirs(1) })
	return b
}
