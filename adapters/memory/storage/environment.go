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

// signInKey is the key of a sign-in provider.
type signInKey struct {
	project core.ID
	env     core.DataEnv
	name    string
}

type signInProviders struct{ session conn }

// Put implements storage.SignInProviders.
func (s signInProviders) Put(ctx context.Context, provider core.SignInProvider) (stored core.SignInProvider, err error) {
	if err := storage.CheckText(provider); err != nil {
		return stored, err
	}
	err = s.session.change(ctx, func(state *database) error {
		if !state.projects.has(provider.ProjectID) {
			return core.NotFound("project")
		}
		key, next := signInKey{provider.ProjectID, provider.Env, provider.Name}, copySignIn(provider)
		if before, found := state.signIns.rows[key]; found {
			next.CreatedAt = before.CreatedAt
		}
		state.signIns.edit(state)[key] = next
		stored = copySignIn(next)
		return nil
	})
	return stored, err
}

// List implements storage.SignInProviders.
func (s signInProviders) List(ctx context.Context, project core.ID, env core.DataEnv) ([]core.SignInProvider, error) {
	state, err := s.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var found []core.SignInProvider
	for key, provider := range state.signIns.rows {
		if key.project == project && key.env == env {
			found = append(found, copySignIn(provider))
		}
	}
	slices.SortFunc(found, func(a, b core.SignInProvider) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

// Delete implements storage.SignInProviders.
func (s signInProviders) Delete(ctx context.Context, project core.ID, env core.DataEnv, name string) error {
	return s.session.change(ctx, func(state *database) error {
		key := signInKey{project, env, name}
		if !state.signIns.has(key) {
			return core.NotFound("provider")
		}
		delete(state.signIns.edit(state), key)
		return nil
	})
}

func copySignIn(p core.SignInProvider) core.SignInProvider {
	p.SealedSecret = slices.Clone(p.SealedSecret)
	if p.PKCE != nil {
		p.PKCE = new(*p.PKCE)
	}
	return p
}
