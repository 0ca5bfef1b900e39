package worktree

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Copy implements worktree.Trees.
func (t *Trees) Copy(ctx context.Context, from, to core.ID, paths []core.ProjectPath) error {
	source, err := t.Find(ctx, from)
	if err != nil {
		return err
	}
	target, err := t.Find(ctx, to)
	if err != nil {
		return err
	}
	target.mu.Lock()
	defer target.mu.Unlock()
	for _, path := range paths {
		found := source.node(path.String())
		if found == nil || found.dir() {
			continue
		}
		if target.nodes[path.String()] != nil {
			return core.Errorf(core.CodeConflict, "the tree already has files")
		}
		if err := target.makeParents(path); err != nil {
			return err
		}
		target.nodes[path.String()] = found
	}
	return nil
}
