package memory

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// storedSlugHold says for whom a slug is kept, and until when.
type storedSlugHold struct {
	workspace core.ID
	until     core.Time
}

type storeSlugHolds struct{ session storeSession }

func (h storeSlugHolds) Hold(ctx context.Context, slug string, workspace core.ID, until core.Time) error {
	if !storage.Storable(slug) || !storage.Storable(string(workspace)) {
		return core.Errorf(core.CodeValidationFailed, "the hold of a slug must be text")
	}
	return h.session.change(ctx, func(state *storeState) error {
		state.slugHolds.edit(state)[slug] = storedSlugHold{workspace, until}
		return nil
	})
}

func (h storeSlugHolds) Holder(ctx context.Context, slug string, now core.Time) (core.ID, error) {
	state, err := h.session.view(ctx)
	if err != nil {
		return "", err
	}
	hold, found := state.slugHolds.rows[slug]
	if !found || hold.until < now {
		return "", core.NotFound("hold")
	}
	return hold.workspace, nil
}
