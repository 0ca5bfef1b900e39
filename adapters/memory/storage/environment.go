package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// variableKey is the key of a variable.
type variableKey struct {
	project core.ID
	key     string
}

type environment struct{ session conn }

// Put implements storage.Environment.
func (e environment) Put(ctx context.Context, variable core.Variable) (stored core.Variable, err error) {
	if err := storage.CheckText(variable); err != nil {
		return stored, err
	}
	err = e.session.change(ctx, func(state *database) error {
		if !state.projects.has(variable.ProjectID) {
			return core.NotFound("project")
		}
		place, next := variableKey{variable.ProjectID, variable.Key}, copyVariable(variable)
		if before, found := state.variables.rows[place]; found {
			next.CreatedAt = before.CreatedAt
		}
		state.variables.edit(state)[place] = next
		stored = copyVariable(next)
		return nil
	})
	return stored, err
}

// ByKey implements storage.Environment.
func (e environment) ByKey(ctx context.Context, project core.ID, key string) (core.Variable, error) {
	state, err := e.session.view(ctx)
	if err != nil {
		return core.Variable{}, err
	}
	found, known := state.variables.rows[variableKey{project, key}]
	if !known {
		return core.Variable{}, core.NotFound("variable")
	}
	return copyVariable(found), nil
}

// List implements storage.Environment.
func (e environment) List(ctx context.Context, project core.ID) ([]core.Variable, error) {
	state, err := e.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var found []core.Variable
	for place, variable := range state.variables.rows {
		if place.project == project {
			found = append(found, copyVariable(variable))
		}
	}
	slices.SortFunc(found, func(a, b core.Variable) int { return cmp.Compare(a.Key, b.Key) })
	return found, nil
}

// Delete implements storage.Environment.
func (e environment) Delete(ctx context.Context, project core.ID, key string) error {
	return e.session.change(ctx, func(state *database) error {
		place := variableKey{project, key}
		if !state.variables.has(place) {
			return core.NotFound("variable")
		}
		delete(state.variables.edit(state), place)
		return nil
	})
}

func copyVariable(v core.Variable) core.Variable {
	v.SealedValue = slices.Clone(v.SealedValue)
	return v
}
