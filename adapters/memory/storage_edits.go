package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type storeEdits struct{ session storeSession }

func (e storeEdits) Of(ctx context.Context, project core.ID) (storage.Edit, error) {
	state, err := e.session.view(ctx)
	if err != nil {
		return storage.Edit{}, err
	}
	edit := state.files.rows[project].edit
	if edit == nil {
		return storage.Edit{}, core.NotFound("edit")
	}
	return *edit, nil
}

func (e storeEdits) Due(ctx context.Context, until core.Time, limit int) ([]storage.Edit, error) {
	state, err := e.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var due []storage.Edit
	for _, list := range state.files.rows {
		if list.edit != nil && list.edit.At <= until {
			due = append(due, *list.edit)
		}
	}
	slices.SortFunc(due, func(a, b storage.Edit) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Project, b.Project))
	})
	return due[:min(limit, len(due))], nil
}

func (e storeEdits) Settle(ctx context.Context, edit storage.Edit) error {
	return e.session.change(ctx, func(state *storeState) error {
		list := state.files.rows[edit.Project]
		if list.edit == nil || list.edit.At != edit.At {
			return nil
		}
		list.edit = nil
		state.files.edit(state)[edit.Project] = list
		return nil
	})
}
