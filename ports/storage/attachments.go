package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Attachments are the images of messages, which the attachments of a run name.
// They go with the run.
type Attachments interface {
	// Create stores an image of a run under an id of its own.
	Create(ctx context.Context, run, id core.ID, image core.Image) error
	ByID(ctx context.Context, id core.ID) (core.Image, error)
	// OfChat returns the ids of the images of a chat's runs, in ascending order.
	OfChat(ctx context.Context, chat core.ID) ([]core.ID, error)
	// Copy stores an image that is there once more, as one of a run and under an id of
	// its own.
	Copy(ctx context.Context, from, run, id core.ID) error
}
