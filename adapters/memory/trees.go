package memory

import "github.com/atelierhq/atelier/adapters/memory/worktree"

// Trees holds the projects' files in memory. Make one with NewTrees.
type Trees = worktree.Trees

// NewTrees returns an empty place for trees. It may be used by many goroutines.
func NewTrees() *Trees { return worktree.New() }
