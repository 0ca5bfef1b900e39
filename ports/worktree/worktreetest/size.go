package worktreetest

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func weighed(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	weigh := func() int64 {
		t.Helper()
		size, err := tree.Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return size
	}
	empty := weigh()
	WriteFile(t, tree, "src/a.txt", strings.Repeat("a", 100_000))
	WriteFile(t, tree, "node_modules/x/y.js", strings.Repeat("y", 100_000))
	const most = 220_000 // Disks give out whole blocks.
	if got := weigh() - empty; got < 200_000 || got > most {
		t.Errorf("got %d bytes more, want about 200,000: what a walk leaves out counts", got)
	}
	tree.Apply(t.Context(), []core.FileChange{{Op: core.OpDelete, Path: core.MustPath("src")}, {Op: core.OpDelete, Path: core.MustPath("node_modules")}})
	if got := weigh(); got != empty {
		t.Errorf("got %d bytes, want the %d of an empty tree", got, empty)
	}
}
