package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type previewLinks struct{ session conn }

// Create implements storage.PreviewLinks.
func (p previewLinks) Create(ctx context.Context, link core.PreviewLink) error {
	if err := storage.CheckText(link); err != nil {
		return err
	}
	return p.session.change(ctx, func(state *database) error {
		if !state.projects.has(link.ProjectID) {
			return core.NotFound("project")
		}
		if state.previewLinks.has(link.ID) {
			return core.Errorf(core.CodeConflict, "there is a preview link with this id")
		}
		state.previewLinks.edit(state)[link.ID] = link
		return nil
	})
}

// ByID implements storage.PreviewLinks.
func (p previewLinks) ByID(ctx context.Context, id core.ID) (core.PreviewLink, error) {
	state, err := p.session.view(ctx)
	if err != nil {
		return core.PreviewLink{}, err
	}
	link, found := state.previewLinks.rows[id]
	if !found {
		return core.PreviewLink{}, core.NotFound("preview link")
	}
	return link, nil
}

// List implements storage.PreviewLinks.
func (p previewLinks) List(ctx context.Context, project core.ID) ([]core.PreviewLink, error) {
	state, err := p.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var found []core.PreviewLink
	for _, link := range state.previewLinks.rows {
		if link.ProjectID == project {
			found = append(found, link)
		}
	}
	slices.SortFunc(found, func(a, b core.PreviewLink) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return found, nil
}

// Extend implements storage.PreviewLinks.
func (p previewLinks) Extend(ctx context.Context, id core.ID, until core.Time) error {
	return p.session.change(ctx, func(state *database) error {
		if link, found := state.previewLinks.rows[id]; found {
			link.ExpiresAt = until
			state.previewLinks.edit(state)[id] = link
		}
		return nil
	})
}

// Delete implements storage.PreviewLinks.
func (p previewLinks) Delete(ctx context.Context, id core.ID) error {
	return p.session.change(ctx, func(state *database) error {
		delete(state.previewLinks.edit(state), id)
		return nil
	})
}

// DeleteOf implements storage.PreviewLinks.
func (p previewLinks) DeleteOf(ctx context.Context, workspace, maker core.ID) (int, error) {
	var dropped []core.PreviewLink
	err := p.session.change(ctx, func(state *database) error {
		dropped = state.previewLinks.drop(state, func(link core.PreviewLink) bool {
			return link.CreatedBy == maker && state.projects.rows[link.ProjectID].WorkspaceID == workspace
		})
		return nil
	})
	return len(dropped), err
}
