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

// PreviewLinks are the addresses at which people look at projects' pages. They are deleted with their
// project.
type PreviewLinks interface {
	Create(ctx context.Context, link core.PreviewLink) error
	ByID(ctx context.Context, id core.ID) (core.PreviewLink, error)
	// List returns the links of a project, expired ones included, the newest first.
	List(ctx context.Context, project core.ID) ([]core.PreviewLink, error)
	// Extend lets a link expire at another time. It does nothing for a link that is gone.
	Extend(ctx context.Context, id core.ID, until core.Time) error
	// Delete deletes a link. It is idempotent.
	Delete(ctx context.Context, id core.ID) error
}
