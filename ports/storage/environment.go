package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Environment are the environment values of projects, by project and key. Keys are
// compared byte by byte.
type Environment interface {
	// Put stores a variable. It replaces the project's other one with the key and
	// keeps its CreatedAt. It returns the stored record.
	Put(ctx context.Context, variable core.Variable) (core.Variable, error)
	ByKey(ctx context.Context, project core.ID, key string) (core.Variable, error)
	// List returns a project's variables by key, byte by byte.
	List(ctx context.Context, project core.ID) ([]core.Variable, error)
	Delete(ctx context.Context, project core.ID, key string) error
}
