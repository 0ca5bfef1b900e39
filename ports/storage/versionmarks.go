package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// VersionMarks are the names and stars that people give to versions. They are deleted with their
// project.
type VersionMarks interface {
	// Put stores a mark, which replaces the version's other one. A mark without a name and a star
	// is removed.
	Put(ctx context.Context, mark core.VersionMark) error
	// List returns the marks of a project, the one that was changed last first.
	List(ctx context.Context, project core.ID) ([]core.VersionMark, error)
}
