package bwrap

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Sweep removes what nobody needs, at once.
func (t *Tools) Sweep() { t.sweep(unusedTime) }

// CountedBeside is countedBeside.
func CountedBeside(release string) int { return countedBeside(release) }

// Take waits for a project's turn and returns what ends it.
func (t *Tools) Take(ctx context.Context, project core.ID) (func(), error) {
	return t.take(ctx, project)
}
