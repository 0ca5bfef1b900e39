package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// FormerRooms are the documents that rooms had before their texts were rewritten, one a
// project. They go with the project, and duplicates begin without one.
type FormerRooms interface {
	// Put stores a document in the place of the one before. It fails as Rooms.Append.
	Put(ctx context.Context, project, owner core.ID, state []byte) error
	// ByProject returns the document, or core.CodeNotFound.
	ByProject(ctx context.Context, project core.ID) ([]byte, error)
}
