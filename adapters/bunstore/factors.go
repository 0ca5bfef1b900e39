package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// factorRow keeps RecoveryHashes as JSON.
type factorRow struct {
	bun.BaseModel `bun:"table:factors,alias:fa"`
	core.Factor
}

type factors struct{ session }

// hasFactor is whether the user in a column has a second factor, as core.Factor.On says.
func hasFactor(user string) bun.Safe {
	return bun.Safe("EXISTS (SELECT 1 FROM factors AS fa WHERE fa.user_id = " + user + " AND (fa.confirmed_at <> 0 OR fa.passkeys > 0))")
}

// Of implements storage.Factors.
func (f factors) Of(ctx context.Context, user core.ID) (core.Factor, error) {
	row, err := find[factorRow](ctx, f.session, "factor", "user_id", string(user))
	return row.Factor, err
}

// Put implements storage.Factors.
func (f factors) Put(ctx context.Context, factor core.Factor) error {
	if err := storage.CheckText(factor); err != nil {
		return err
	}
	return f.write(ctx, "user", func(ctx context.Context, db bun.IDB) error {
		query := db.NewInsert().Model(&factorRow{Factor: factor}).On("CONFLICT (user_id) DO UPDATE")
		for _, column := range []string{"sealed_secret", "confirmed_at", "last_step", "recovery_hashes", "sealed_pending", "pending_until", "passkeys"} {
			query = query.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
		}
		_, err := query.Exec(ctx)
		return err
	})
}

// Update implements storage.Factors.
func (f factors) Update(ctx context.Context, user core.ID, change func(*core.Factor) error) (core.Factor, error) {
	var row factorRow
	err := f.write(ctx, "factor", func(ctx context.Context, db bun.IDB) error {
		row = factorRow{}
		if err := f.lock(db.NewSelect().Model(&row).Where("fa.user_id = ?", user)).Scan(ctx); err != nil {
			return err
		}
		if err := change(&row.Factor); err != nil {
			return refusal{err}
		}
		row.UserID = user
		if err := storage.CheckText(row.Factor); err != nil {
			return refusal{err}
		}
		_, err := db.NewUpdate().Model(&row).Where("user_id = ?", user).Exec(ctx)
		return err
	})
	if err != nil {
		return core.Factor{}, err
	}
	return row.Factor, nil
}

// DeleteOf implements storage.Factors.
func (f factors) DeleteOf(ctx context.Context, user core.ID) error {
	return removeWhere(ctx, f.session, "factors", "user_id = ?", user)
}
