package storage

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

type attachments struct{ session conn }

// Create implements storage.Attachments.
func (a attachments) Create(ctx context.Context, run, id core.ID, image core.Image) error {
	for _, text := range []string{string(run), string(id), image.MediaType} {
		if !storage.Storable(text) {
			return core.Errorf(core.CodeValidationFailed, "the attachment is not valid text")
		}
	}
	return a.session.change(ctx, func(state *database) error {
		switch {
		case state.attachments.has(id):
			return core.Errorf(core.CodeConflict, "this attachment already exists")
		case !state.runs.has(run):
			return core.NotFound("run")
		}
		state.attachments.edit(state)[id] = storedImage{run, copyOfImage(image)}
		return nil
	})
}

// ByID implements storage.Attachments.
func (a attachments) ByID(ctx context.Context, id core.ID) (core.Image, error) {
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

type thumbnails struct{ session conn }

// Put implements storage.Thumbnails.
func (t thumbnails) Put(ctx context.Context, thumbnail core.Thumbnail) error {
	return t.session.change(ctx, func(state *database) error {
		if !state.projects.has(thumbnail.ProjectID) {
			return core.NotFound("project")
		}
		thumbnail.PNG = slices.Clone(thumbnail.PNG)
		state.thumbnails.edit(state)[thumbnail.ProjectID] = thumbnail
		return nil
	})
}

// ByProject implements storage.Thumbnails.
func (t thumbnails) ByProject(ctx context.Context, project core.ID) (core.Thumbnail, error) {
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
