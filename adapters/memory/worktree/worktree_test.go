package worktree_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/worktree"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

func TestTrees(t *testing.T) {
	worktreetest.Run(t, func(*testing.T) worktreetest.Harness {
		trees := worktree.New()
		return worktreetest.Harness{Trees: trees, Hide: func() func() {
			trees.SetMissing(true)
			return func() { trees.SetMissing(false) }
		}}
	})
}
