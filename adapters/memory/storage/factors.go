package storage

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type factors struct{ session conn }

func copyOfFactor(factor core.Factor) core.Factor {
	factor.SealedSecret, factor.SealedPending = slices.Clone(factor.SealedSecret), slices.Clone(factor.SealedPending)
	factor.RecoveryHashes = slices.Clone(factor.RecoveryHashes)
	return factor
}

// Of implements storage.Factors.
func (f factors) Of(ctx context.Context, user core.ID) (core.Factor, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return core.Factor{}, err
	}
	if !state.factors.has(user) {
		return core.Factor{}, core.NotFound("factor")
	}
	return copyOfFactor(state.factors.rows[user]), nil
}

// Put implements storage.Factors.
func (f factors) Put(ctx context.Context, factor core.Factor) error {
	if err := storage.CheckText(factor); err != nil {
		return err
	}
	return f.session.change(ctx, func(state *database) error {
		if !state.users.has(factor.UserID) {
			return core.NotFound("user")
		}
		state.factors.edit(state)[factor.UserID] = copyOfFactor(factor)
		return nil
	})
}

// Update implements storage.Factors.
func (f factors) Update(ctx context.Context, user core.ID, change func(*core.Factor) error) (factor core.Factor, err error) {
	err = f.session.change(ctx, func(state *database) error {
		if !state.factors.has(user) {
			return core.NotFound("factor")
		}
		factor = copyOfFactor(state.factors.rows[user])
		if err := change(&factor); err != nil {
			return err
		}
		factor.UserID = user
		if err := storage.CheckText(factor); err != nil {
			return err
		}
		state.factors.edit(state)[user] = copyOfFactor(factor)
		return nil
	})
	if err != nil {
		return core.Factor{}, err
	}
	return factor, nil
}

// DeleteOf implements storage.Factors.
func (f factors) DeleteOf(ctx context.Context, user core.ID) error {
	return f.session.change(ctx, func(state *database) error {
		if state.factors.has(user) {
			delete(state.factors.edit(state), user)
		}
		return nil
	})
}
