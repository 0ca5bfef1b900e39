package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Amend calls plan with the project's current files and carries out the changes that it
// returns. It holds the project's lock from reading to writing. Its callers keep edits that
// are not on the disk yet, so unlike all other methods it does not have such edits saved
// first. plan must be quick and must not use the pipeline. Its error is returned unchanged,
// with nothing changed.
//
// written, which may be nil, gets the result of each change on the disk before the lock is
// released, even if a later step fails. It must be quick as well.
func (p *Pipeline) Amend(ctx context.Context, project core.ID, by core.Author, plan func(context.Context, Snapshot) ([]core.FileChange, error), written func([]Result)) error {
	locked, err := p.lockReconciled(ctx, project)
	if err != nil {
		return err
	}
	defer locked.release()
	tree, err := locked.openTree()
	if err != nil {
		return err
	}
	changes, err := plan(locked.ctx, Snapshot{tree})
	if err != nil || len(changes) == 0 {
		return err
	}
	// No check of the project's size: the edits were acknowledged already, and texts of
	// rooms are small. The next write of another kind finds the project full.
	results, err := locked.carryOut(tree, changeSet{by: by, changes: changes})
	if len(results) > 0 && written != nil {
		written(results)
	}
	return err
}
