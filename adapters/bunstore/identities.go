package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type identityRow struct {
	bun.BaseModel `bun:"table:identities,alias:i"`
	core.Identity
}

type identities struct{ session }

// Create implements storage.Identities.
func (i identities) Create(ctx context.Context, identity core.Identity) error {
	if err := storage.CheckText(identity); err != nil {
		return err
	}
	return insert(ctx, i.session, "identity", &identityRow{Identity: identity})
}

// Find implements storage.Identities.
func (i identities) Find(ctx context.Context, provider core.IdentityProvider, subject string) (core.Identity, error) {
	var row identityRow
	err := i.read(ctx, "identity", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&row).Where("i.provider = ? AND i.subject = ?", provider, subject).Scan(ctx)
	})
	return row.Identity, err
}

// OfUser implements storage.Identities.
func (i identities) OfUser(ctx context.Context, user core.ID) ([]core.Identity, error) {
	rows, err := list[identityRow](ctx, i.session, "user_id", string(user), "i.created_at, i.provider, i.subject")
	return each(rows, func(row identityRow) core.Identity { return row.Identity }), err
}

// DeleteAt implements storage.Identities.
func (i identities) DeleteAt(ctx context.Context, user core.ID, provider core.IdentityProvider) error {
	return removeWhere(ctx, i.session, "identities", "user_id = ? AND provider = ?", user, provider)
}

// DeleteFrom implements storage.Identities.
func (i identities) DeleteFrom(ctx context.Context, provider core.IdentityProvider) error {
	return removeWhere(ctx, i.session, "identities", "provider = ?", provider)
}

// DeleteOf implements storage.Identities.
func (i identities) DeleteOf(ctx context.Context, user core.ID) error {
	return removeWhere(ctx, i.session, "identities", "user_id = ?", user)
}
