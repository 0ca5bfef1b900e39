package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// versionKey is the key of a mark.
type versionKey struct {
	project core.ID
	version string
}

type versionMarks struct{ session conn }

// Put implements storage.VersionMarks.
func (v versionMarks) Put(ctx context.Context, mark core.VersionMark) error {
	if err := storage.CheckText(mark); err != nil {
		return err
	}
	return v.session.change(ctx, func(state *database) error {
		key := versionKey{mark.ProjectID, mark.Version}
		if mark.IsEmpty() {
			delete(state.versionMarks.edit(state), key)
			return nil
		}
		if !state.projects.has(mark.ProjectID) {
			return core.NotFound("project")
		}
		state.versionMarks.edit(state)[key] = mark
		return nil
	})
}

// List implements storage.VersionMarks.
func (v versionMarks) List(ctx context.Context, project core.ID) ([]core.VersionMark, error) {
	state, err := v.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var found []core.VersionMark
	for _, mark := range state.versionMarks.rows {
		if mark.ProjectID == project {
			found = append(found, mark)
		}
	}
	slices.SortFunc(found, func(a, b core.VersionMark) int {
		return cmp.Or(cmp.Compare(b.MarkedAt, a.MarkedAt), cmp.Compare(a.Version, b.Version))
	})
	return found, nil
}
