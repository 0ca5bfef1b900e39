package vcs

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Arriving implements vcs.Repositories.
func (r *Repositories) Arriving(ctx context.Context, project core.ID) (vcs.Arrival, bool, error) {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return vcs.Arrival{}, false, err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	if repo.arriving == nil {
		return vcs.Arrival{}, false, nil
	}
	return *repo.arriving, true, nil
}

// Arrive implements vcs.Repositories.
func (r *Repositories) Arrive(ctx context.Context, project core.ID, arrival vcs.Arrival) error {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	if _, err := repo.version(arrival.To); err != nil {
		return err
	}
	if repo.newest().ID != arrival.From {
		return overtaken()
	}
	if err := locks.Check(ctx); err != nil {
		return err
	}
	repo.arriving = &arrival
	return nil
}

// Settle implements vcs.Repositories. Versions come from Recommit, Join and Pull.
func (r *Repositories) Settle(ctx context.Context, project core.ID, arrival vcs.Arrival) error {
	_, repo, err := r.find(ctx, project)
	if err != nil {
		return err
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	if _, err := repo.version(arrival.To); err != nil {
		return err
	}
	if err := locks.Check(ctx); err != nil {
		return err
	}
	repo.arriving = nil
	newest := repo.newest().ID
	_, found := repo.pending[arrival.To]
	switch {
	case newest == arrival.To:
		return nil
	case newest != arrival.From || !found:
		return overtaken()
	}
	repo.take(arrival.To)
	return nil
}

func overtaken() error {
	return core.Errorf(core.CodeConflict, "fetch first: the project has changed")
}
