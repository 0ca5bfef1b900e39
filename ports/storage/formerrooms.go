package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// FormerRooms are the documents of rooms from before their texts were rewritten, one
// per project. They are deleted with the project, and duplicates begin without one.
type FormerRooms interface {
	// Put stores a document, which replaces the one before. It fails like
	// Rooms.Append.
	Put(ctx context.Context, project, owner core.ID, state []byte) error
	// ByProject returns the document, or core.CodeNotFound.
	ByProject(ctx context.Context, project core.ID) ([]byte, error)
}
