package git

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Version implements vcs.Repositories.
func (r *Repositories) Version(ctx context.Context, project core.ID, version string) (core.Version, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return core.Version{}, err
	}
	found, err := repo.history.describe(version)
	return found, durable.Fault(err, "version")
}

// Compare implements vcs.Repositories.
func (r *Repositories) Compare(ctx context.Context, project core.ID, from, to string) ([]vcs.Difference, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return nil, err
	}
	differences, err := repo.history.compare(ctx, from, to)
	return differences, durable.Fault(err, "version")
}

// Unversioned implements vcs.Repositories.
func (r *Repositories) Unversioned(ctx context.Context, project core.ID) ([]vcs.Difference, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return nil, err
	}
	differences, err := repo.history.unversioned(ctx)
	return differences, durable.Fault(err, "version")
}

// Content implements vcs.Repositories.
func (r *Repositories) Content(ctx context.Context, project core.ID, blob vcs.Blob, limit int64) ([]byte, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return nil, err
	}
	content, err := repo.history.content(blob.ID, limit)
	return content, durable.Fault(err, "content")
}

// Holds implements vcs.Repositories.
func (r *Repositories) Holds(blob vcs.Blob, content []byte) bool {
	return blob.ID == plumbing.ComputeHash(plumbing.BlobObject, content).String()
}

// Recommit implements vcs.Repositories.
func (r *Repositories) Recommit(ctx context.Context, project core.ID, version string, commit vcs.Commit) (core.Version, bool, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	made, changed, err := repo.recommit(version, commit)
	return made, changed, durable.Fault(err, "version")
}
