package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// ProjectRemotes are the connections of projects with branches on other hosts, at most one for each
// project. They are deleted with their project.
type ProjectRemotes interface {
	// Create returns core.CodeConflict if the project has one.
	Create(ctx context.Context, remote core.ProjectRemote) error
	ByProject(ctx context.Context, project core.ID) (core.ProjectRemote, error)
	// ByHook returns the remote with a webhook's hash.
	ByHook(ctx context.Context, hash string) (core.ProjectRemote, error)
	// Claim takes a lease on the remote that has been due longest at now and has no lease then: it
	// sets LeasedUntil. It returns core.CodeNotFound if none is due. No two callers get the same one.
	Claim(ctx context.Context, now, until core.Time) (core.ProjectRemote, error)
	// Update works like Users.Update. ID, ProjectID, HookHash and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.ProjectRemote) error) (core.ProjectRemote, error)
	Delete(ctx context.Context, id core.ID) error
}
