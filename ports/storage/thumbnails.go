package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Thumbnails are the pictures of projects, one each.
type Thumbnails interface {
	// Put stores a picture, which replaces the project's other one.
	Put(ctx context.Context, thumbnail core.Thumbnail) error
	ByProject(ctx context.Context, project core.ID) (core.Thumbnail, error)
}
