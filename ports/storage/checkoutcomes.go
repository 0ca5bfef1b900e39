package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// CheckOutcomes are the last outcomes of projects' checks. They are deleted with their project.
type CheckOutcomes interface {
	// Put stores an outcome with a picture of the page. It replaces the check's other one; with a
	// nil picture, that of the last failure stays, and its PicturedAt.
	Put(ctx context.Context, outcome core.CheckOutcome, picture []byte) error
	// List returns the outcomes of a project by the checks' names, byte by byte.
	List(ctx context.Context, project core.ID) ([]core.CheckOutcome, error)
	// Picture returns the picture of a check's last failure, core.CodeNotFound if there is none.
	Picture(ctx context.Context, project core.ID, name string) ([]byte, error)
	// Keep removes the outcomes of a project's checks that have none of these names.
	Keep(ctx context.Context, project core.ID, names []string) error
}
