package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// AcceptedFindings are the findings with which projects are published nevertheless. They are
// deleted with their project.
type AcceptedFindings interface {
	// Add stores that a finding is accepted. One that is already stays as it is.
	Add(ctx context.Context, accepted core.AcceptedFinding) error
	// List returns what was accepted for a project, in the order of the findings' ids.
	List(ctx context.Context, project core.ID) ([]core.AcceptedFinding, error)
}
