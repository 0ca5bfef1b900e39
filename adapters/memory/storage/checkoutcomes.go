package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// checkKey is the key of a check.
type checkKey struct {
	project core.ID
	name    string
}

// storedCheck is an outcome with the picture of the last failure, nil without one.
type storedCheck struct {
	core.CheckOutcome
	picture []byte
}

type checkOutcomes struct{ session conn }

// Put implements storage.CheckOutcomes.
func (c checkOutcomes) Put(ctx context.Context, outcome core.CheckOutcome, picture []byte) error {
	if err := storage.CheckText(outcome); err != nil {
		return err
	}
	return c.session.change(ctx, func(state *database) error {
		if !state.projects.has(outcome.ProjectID) {
			return core.NotFound("project")
		}
		key := checkKey{outcome.ProjectID, outcome.Name}
		stored := storedCheck{outcome, slices.Clone(picture)}
		if picture == nil {
			former := state.checks.rows[key]
			stored.PicturedAt, stored.picture = former.PicturedAt, former.picture
		}
		state.checks.edit(state)[key] = stored
		return nil
	})
}

// List implements storage.CheckOutcomes.
func (c checkOutcomes) List(ctx context.Context, project core.ID) ([]core.CheckOutcome, error) {
	state, err := c.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var found []core.CheckOutcome
	for _, stored := range state.checks.rows {
		if stored.ProjectID == project {
			found = append(found, stored.CheckOutcome)
		}
	}
	slices.SortFunc(found, func(a, b core.CheckOutcome) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

// Picture implements storage.CheckOutcomes.
func (c checkOutcomes) Picture(ctx context.Context, project core.ID, name string) ([]byte, error) {
	state, err := c.session.view(ctx)
	if err != nil {
		return nil, err
	}
	stored := state.checks.rows[checkKey{project, name}]
	if stored.picture == nil {
		return nil, core.NotFound("picture")
	}
	return slices.Clone(stored.picture), nil
}

// Keep implements storage.CheckOutcomes.
func (c checkOutcomes) Keep(ctx context.Context, project core.ID, names []string) error {
	return c.session.change(ctx, func(state *database) error {
		state.checks.drop(state, func(s storedCheck) bool { return s.ProjectID == project && !slices.Contains(names, s.Name) })
		return nil
	})
}
