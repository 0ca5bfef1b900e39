package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Attachments are the images of messages, which the attachments of a run name. They
// are deleted with the run.
type Attachments interface {
	// Create stores an image of a run under an id of its own.
	Create(ctx context.Context, run, id core.ID, image core.Image) error
	ByID(ctx context.Context, id core.ID) (core.Image, error)
	// OfChat returns the ids of the images of a chat's runs, in ascending order.
	OfChat(ctx context.Context, chat core.ID) ([]core.ID, error)
	// Copy stores a copy of an image, as one of another run and with a new id.
	Copy(ctx context.Context, from, run, id core.ID) error
}
