package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestTrees(t *testing.T) {
	porttest.TestWorktree(t, func(*testing.T) porttest.WorktreeHarness {
		trees := memory.NewTrees()
		return porttest.WorktreeHarness{Trees: trees, Hide: func() func() {
			trees.SetMissing(true)
			return func() { trees.SetMissing(false) }
		}}
	})
}
