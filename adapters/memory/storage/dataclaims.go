package storage

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type dataClaims struct{ session conn }

// Claim implements storage.DataClaims.
func (c dataClaims) Claim(ctx context.Context, claim core.DataClaim, now core.Time) (core.DataClaim, error) {
	if err := storage.CheckText(claim); err != nil {
		return core.DataClaim{}, err
	}
	err := c.session.change(ctx, func(in *database) error {
		present := in.dataClaims.rows[claim.ProjectID]
		if present.Token > 0 && present.Owner != claim.Owner && present.HeldUntil >= now {
			claim = present
			return nil
		}
		claim.Token = present.Token + 1
		in.dataClaims.edit(in)[claim.ProjectID] = claim
		return nil
	})
	if err != nil {
		return core.DataClaim{}, err
	}
	return claim, nil
}

// Renew implements storage.DataClaims.
func (c dataClaims) Renew(ctx context.Context, owner core.ID, until core.Time) ([]core.ID, error) {
	var held []core.ID
	err := c.session.change(ctx, func(in *database) error {
		for project, claim := range in.dataClaims.rows {
			if claim.Owner == owner && claim.HeldUntil > 0 {
				claim.HeldUntil = until
				in.dataClaims.edit(in)[project] = claim
				held = append(held, project)
			}
		}
		return nil
	})
	slices.Sort(held)
	return held, err
}

// Release implements storage.DataClaims.
func (c dataClaims) Release(ctx context.Context, project, owner core.ID) error {
	return c.session.change(ctx, func(in *database) error {
		if claim, found := in.dataClaims.rows[project]; found && claim.Owner == owner {
			claim.HeldUntil = 0
			in.dataClaims.edit(in)[project] = claim
		}
		return nil
	})
}

// Forget implements storage.DataClaims.
func (c dataClaims) Forget(ctx context.Context, project, owner core.ID) error {
	return c.session.change(ctx, func(in *database) error {
		in.dataClaims.drop(in, func(claim core.DataClaim) bool { return claim.ProjectID == project && claim.Owner == owner })
		return nil
	})
}
