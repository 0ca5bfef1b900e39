package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// identityKey is the key of an identity.
type identityKey struct {
	provider core.IdentityProvider
	subject  string
}

type identities struct{ session conn }

// Create implements storage.Identities.
func (i identities) Create(ctx context.Context, identity core.Identity) error {
	if err := storage.CheckText(identity); err != nil {
		return err
	}
	return i.session.change(ctx, func(state *database) error {
		key := identityKey{identity.Provider, identity.Subject}
		if state.identities.has(key) {
			return core.Errorf(core.CodeConflict, "this identity already belongs to an account")
		}
		if !state.users.has(identity.UserID) {
			return core.NotFound("user")
		}
		state.identities.edit(state)[key] = identity
		return nil
	})
}

// Find implements storage.Identities.
func (i identities) Find(ctx context.Context, provider core.IdentityProvider, subject string) (core.Identity, error) {
	state, err := i.session.view(ctx)
	if err != nil {
		return core.Identity{}, err
	}
	identity, found := state.identities.rows[identityKey{provider, subject}]
	if !found {
		return core.Identity{}, core.NotFound("identity")
	}
	return identity, nil
}

// OfUser implements storage.Identities.
func (i identities) OfUser(ctx context.Context, user core.ID) ([]core.Identity, error) {
	state, err := i.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var found []core.Identity
	for _, identity := range state.identities.rows {
		if identity.UserID == user {
			found = append(found, identity)
		}
	}
	slices.SortFunc(found, func(a, b core.Identity) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Subject, b.Subject))
	})
	return found, nil
}

// DeleteAt implements storage.Identities.
func (i identities) DeleteAt(ctx context.Context, user core.ID, provider core.IdentityProvider) error {
	return i.session.change(ctx, func(state *database) error {
		state.identities.drop(state, func(identity core.Identity) bool {
			return identity.UserID == user && identity.Provider == provider
		})
		return nil
	})
}

// DeleteFrom implements storage.Identities.
func (i identities) DeleteFrom(ctx context.Context, provider core.IdentityProvider) error {
	return i.session.change(ctx, func(state *database) error {
		state.identities.drop(state, func(identity core.Identity) bool { return identity.Provider == provider })
		return nil
	})
}

// DeleteOf implements storage.Identities.
func (i identities) DeleteOf(ctx context.Context, user core.ID) error {
	return i.session.change(ctx, func(state *database) error {
		state.identities.drop(state, func(identity core.Identity) bool { return identity.UserID == user })
		return nil
	})
}
