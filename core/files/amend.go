package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Amend carries out what plan makes of the project's files as they are, under the
// project's lock from reading to writing. It is for those who keep edits that are not on
// the disk yet, so unlike all other methods it does not have such edits saved first.
// plan must be quick and must not use the pipeline; its error is returned as it is and
// nothing has happened. The results are Apply's, one for each change.
func (p *Pipeline) Amend(ctx context.Context, project core.ID, by core.Author, plan func(context.Context, Snapshot) ([]core.FileChange, error)) ([]Result, error) {
	work, end, err := p.enter(ctx, project)
	if err != nil {
		return nil, err
	}
	defer end()
	tree, err := p.open(work, project)
	if err != nil {
		return nil, err
	}
	changes, err := plan(work, Snapshot{tree})
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	results, err := p.apply(work, project, by, changes, nil)
	if anyWorked(results) {
		p.hands.add(project, by)
	}
	return results, err
}
