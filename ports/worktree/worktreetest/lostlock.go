package worktreetest

import (
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

func lostLock(t *testing.T, h Harness) {
	project := core.NewID()
	tree := Create(t, h, project)
	WriteFile(t, tree, "a.txt", "a")
	WriteFile(t, tree, "dir/b.txt", "b")
	lost := conformance.LostLock(t.Context())
	for i, result := range tree.Apply(lost, []core.FileChange{
		Writing("a.txt", "late"), Writing("new.txt", "late"),
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
	wantContent(t, tree, "a.txt", "a")
	wantContent(t, tree, "dir/b.txt", "b")
	for _, absent := range []string{"new.txt", "c.txt"} {
		_, err := tree.Stat(t.Context(), core.MustPath(absent))
		conformance.WantCode(t, absent, err, core.CodeNotFound)
	}
	lostLockInBetween(t, h)
}

// lostLockInBetween loses the lock when one of two changes has been carried out.
func lostLockInBetween(t *testing.T, h Harness) {
	t.Helper()
	tree := Create(t, h, core.NewID())
	losing := conformance.LosingLock(t.Context(), 1)
	results := tree.Apply(losing, []core.FileChange{Writing("first.txt", "1"), Writing("second.txt", "2")})
	if results[0].Err != nil || !core.IsCode(results[1].Err, core.CodeUnavailable) {
		t.Errorf("got %v and %v, want the change before the loss alone", results[0].Err, results[1].Err)
	}
	wantContent(t, tree, "first.txt", "1")
	_, err := tree.Stat(t.Context(), core.MustPath("second.txt"))
	conformance.WantCode(t, "second.txt", err, core.CodeNotFound)
}
