package porttest

import (
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/locks"
)

func treeLostLock(t *testing.T, h WorktreeHarness) {
	project := core.NewID()
	tree := treeOf(t, h, project)
	treeWrite(t, tree, "a.txt", "a")
	treeWrite(t, tree, "dir/b.txt", "b")
	lost := conformance.LostLock(t.Context())
	for i, result := range tree.Apply(lost, []core.FileChange{
		treeWriting("a.txt", "late"), treeWriting("new.txt", "late"),
		{Op: core.OpRename, Path: core.MustPath("a.txt"), To: core.MustPath("c.txt")},
		{Op: core.OpDelete, Path: core.MustPath("a.txt")}, {Op: core.OpDelete, Path: core.MustPath("dir")},
	}) {
		if !core.IsCode(result.Err, core.CodeUnavailable) {
			t.Errorf("change %d: got %v, want code %s", i, result.Err, core.CodeUnavailable)
		}
	}
	conformance.WantCode(t, "repairing the tree", h.Trees.Repair(lost, project), core.CodeUnavailable)
	conformance.Must(t, h.Trees.Repair(t.Context(), project))
	conformance.WantCode(t, "removing the tree", h.Trees.Remove(lost, project), core.CodeUnavailable)
	treeWantContent(t, tree, "a.txt", "a")
	treeWantContent(t, tree, "dir/b.txt", "b")
	for _, absent := range []string{"new.txt", "c.txt"} {
		_, err := tree.Stat(t.Context(), core.MustPath(absent))
		conformance.WantCode(t, absent, err, core.CodeNotFound)
	}
	treeLostLockInBetween(t, h)
}

// treeLostLockInBetween loses the lock when one of two changes has been carried out.
func treeLostLockInBetween(t *testing.T, h WorktreeHarness) {
	t.Helper()
	tree := treeOf(t, h, core.NewID())
	var asked atomic.Int32
	losing := locks.With(t.Context(), func() error {
		if asked.Add(1) == 1 {
			return nil
		}
		return core.Errorf(core.CodeUnavailable, "the lock was lost")
	})
	results := tree.Apply(losing, []core.FileChange{treeWriting("first.txt", "1"), treeWriting("second.txt", "2")})
	if results[0].Err != nil || !core.IsCode(results[1].Err, core.CodeUnavailable) {
		t.Errorf("got %v and %v, want the change before the loss alone", results[0].Err, results[1].Err)
	}
	treeWantContent(t, tree, "first.txt", "1")
	_, err := tree.Stat(t.Context(), core.MustPath("second.txt"))
	conformance.WantCode(t, "second.txt", err, core.CodeNotFound)
}
