package memory

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// storedImage is an image and the run that it belongs to.
type storedImage struct {
	run core.ID
	core.Image
}

type storeAttachments struct{ session storeSession }

func (a storeAttachments) Create(ctx context.Context, run, id core.ID, image core.Image) error {
	for _, text := range []string{string(run), string(id), image.MediaType} {
		if !storage.Storable(text) {
			return core.Errorf(core.CodeValidationFailed, "the attachment is not valid text")
		}
	}
	return a.session.change(ctx, func(state *storeState) error {
		switch {
		case state.attachments.has(id):
			return core.Errorf(core.CodeConflict, "this attachment exists already")
		case !state.runs.has(run):
			return core.NotFound("run")
		}
		state.attachments.edit(state)[id] = storedImage{run, copyOfImage(image)}
		return nil
	})
}

func (a storeAttachments) ByID(ctx context.Context, id core.ID) (core.Image, error) {
	state, err := a.session.view(ctx)
	if err != nil {
		return core.Image{}, err
	}
	stored, found := state.attachments.rows[id]
	if !found {
		return core.Image{}, core.NotFound("attachment")
	}
	return copyOfImage(stored.Image), nil
}

func copyOfImage(image core.Image) core.Image {
	return core.Image{MediaType: image.MediaType, Data: slices.Clone(image.Data)}
}
