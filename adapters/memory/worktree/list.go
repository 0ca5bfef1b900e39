package worktree

import (
	"context"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
)

// List implements worktree.Trees.
func (t *Trees) List(ctx context.Context) ([]core.ID, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(t.trees)), nil
}
