package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Amend carries out what plan makes of the project's files as they are, under the
// project's lock from reading to writing. It is for those who keep edits that are not on
// the disk yet, so unlike all other methods it does not have such edits saved first.
// plan must be quick and must not use the pipeline; its error is returned as it is and
// nothing has happened.
//
// written, which may be nil, is told what became of each change on the disk before
// anybody else has the lock, also when the rest fails; it must be quick as well.
func (p *Pipeline) Amend(ctx context.Context, project core.ID, by core.Author, plan func(context.Context, Snapshot) ([]core.FileChange, error), written func([]Result)) error {
	work, end, err := p.enter(ctx, project)
	if err != nil {
		return err
	}
	defer end()
	tree, err := p.open(work, project)
	if err != nil {
		return err
	}
	changes, err := plan(work, Snapshot{tree})
	if err != nil || len(changes) == 0 {
		return err
	}
	// What was typed was acknowledged already, and texts of rooms are small: the next write
	// of another kind finds the project full.
	results, err := p.carryOut(work, tree, project, hand{Author: by}, changes)
	if len(results) > 0 && written != nil {
		written(results)
	}
	return err
}
