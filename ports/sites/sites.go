// Package sites is the port to the published builds.
package sites

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Store keeps every deployment's files, immutable from the moment they are put.
type Store interface {
	// Put stores a deployment durably: after a crash it is there complete or not
	// at all. One that exists has code core.CodeConflict.
	Put(ctx context.Context, deployment core.ID, files []File) error
	// Open returns the files of a deployment, sorted by path, or
	// core.CodeNotFound.
	Open(ctx context.Context, deployment core.ID) ([]File, error)
	// Remove deletes a deployment. One that is not there is no error.
	Remove(ctx context.Context, deployment core.ID) error
}

// File is one file of a site, by its path without a leading slash. Immutable
// files carry their content's hash in their name.
type File struct {
	Path      string
	Content   []byte
	Immutable bool
}
