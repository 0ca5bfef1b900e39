package bunstore

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type dataClaimRow struct {
	bun.BaseModel `bun:"table:data_claims,alias:dc"`
	core.DataClaim
}

type dataClaims struct{ session }

// Claim implements storage.DataClaims. A claim that another took between the two statements is
// read by the second.
func (c dataClaims) Claim(ctx context.Context, claim core.DataClaim, now core.Time) (core.DataClaim, error) {
	if err := storage.CheckText(claim); err != nil {
		return core.DataClaim{}, err
	}
	var row dataClaimRow
	err := c.write(ctx, "claim", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewRaw("INSERT INTO data_claims (project_id, owner, address, token, held_until) VALUES (?, ?, ?, 1, ?)"+
			" ON CONFLICT (project_id) DO UPDATE SET owner = EXCLUDED.owner, address = EXCLUDED.address,"+
			" token = data_claims.token + 1, held_until = EXCLUDED.held_until"+
			" WHERE data_claims.owner = EXCLUDED.owner OR data_claims.held_until < ?",
			claim.ProjectID, claim.Owner, claim.Address, claim.HeldUntil, now).Exec(ctx)
		if err != nil {
			return err
		}
		return db.NewSelect().Model(&row).Where("project_id = ?", claim.ProjectID).Scan(ctx)
	})
	return row.DataClaim, err
}

// Renew implements storage.DataClaims.
func (c dataClaims) Renew(ctx context.Context, owner core.ID, until core.Time) ([]core.ID, error) {
	var held []core.ID
	err := c.exec(ctx, "claim", func(ctx context.Context, db bun.IDB) error {
		held = nil
		return db.NewRaw("UPDATE data_claims SET held_until = ? WHERE owner = ? AND held_until > 0 RETURNING project_id", until, owner).Scan(ctx, &held)
	})
	slices.Sort(held)
	return held, err
}

// Release implements storage.DataClaims.
func (c dataClaims) Release(ctx context.Context, project, owner core.ID) error {
	return c.exec(ctx, "claim", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewRaw("UPDATE data_claims SET held_until = 0 WHERE project_id = ? AND owner = ?", project, owner).Exec(ctx)
		return err
	})
}

// Forget implements storage.DataClaims.
func (c dataClaims) Forget(ctx context.Context, project, owner core.ID) error {
	return removeWhere(ctx, c.session, "data_claims", "project_id = ? AND owner = ?", project, owner)
}
