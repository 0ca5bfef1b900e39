package memory

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type storeThumbnails struct{ session storeSession }

func (t storeThumbnails) Put(ctx context.Context, thumbnail core.Thumbnail) error {
	return t.session.change(ctx, func(state *storeState) error {
		if !state.projects.has(thumbnail.ProjectID) {
			return core.NotFound("project")
		}
		thumbnail.PNG = slices.Clone(thumbnail.PNG)
		state.thumbnails.edit(state)[thumbnail.ProjectID] = thumbnail
		return nil
	})
}

func (t storeThumbnails) ByProject(ctx context.Context, project core.ID) (core.Thumbnail, error) {
	state, err := t.session.view(ctx)
	if err != nil {
		return core.Thumbnail{}, err
	}
	thumbnail, found := state.thumbnails.rows[project]
	if !found {
		return core.Thumbnail{}, core.NotFound("thumbnail")
	}
	thumbnail.PNG = slices.Clone(thumbnail.PNG)
	return thumbnail, nil
}
