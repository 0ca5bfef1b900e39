package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// SignInProviders are the providers with which end users of projects' backends sign in, by
// project, environment and name. They are deleted with their project.
type SignInProviders interface {
	// Put stores a provider. It replaces the environment's other one of that name and keeps its
	// CreatedAt. It returns the stored record.
	Put(ctx context.Context, provider core.SignInProvider) (core.SignInProvider, error)
	// List returns an environment's providers by name, byte by byte.
	List(ctx context.Context, project core.ID, env core.DataEnv) ([]core.SignInProvider, error)
	Delete(ctx context.Context, project core.ID, env core.DataEnv, name string) error
}
