package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// passkeyRow keeps Transports as JSON.
type passkeyRow struct {
	bun.BaseModel `bun:"table:passkeys,alias:pk"`
	core.Passkey
	AAGUID     string `bun:"aaguid"`
	LastUsedAt *int64
}

func rowOfPasskey(passkey core.Passkey) *passkeyRow {
	return &passkeyRow{Passkey: passkey, AAGUID: passkey.AAGUID, LastUsedAt: (*int64)(passkey.LastUsedAt)}
}

func (p passkeyRow) passkey() core.Passkey {
	p.Passkey.AAGUID, p.Passkey.LastUsedAt = p.AAGUID, (*core.Time)(p.LastUsedAt)
	return p.Passkey
}

type passkeys struct{ session }

// Create implements storage.Passkeys.
func (p passkeys) Create(ctx context.Context, passkey core.Passkey) error {
	if err := storage.CheckText(passkey); err != nil {
		return err
	}
	return insert(ctx, p.session, "passkey", rowOfPasskey(passkey))
}

// ByCredential implements storage.Passkeys.
func (p passkeys) ByCredential(ctx context.Context, credential string) (core.Passkey, error) {
	row, err := find[passkeyRow](ctx, p.session, "passkey", "credential_id", credential)
	return row.passkey(), err
}

// OfUser implements storage.Passkeys.
func (p passkeys) OfUser(ctx context.Context, user core.ID) ([]core.Passkey, error) {
	rows, err := list[passkeyRow](ctx, p.session, "user_id", string(user), "pk.created_at, pk.id")
	return each(rows, passkeyRow.passkey), err
}

// Update implements storage.Passkeys.
func (p passkeys) Update(ctx context.Context, id core.ID, change func(*core.Passkey) error) (core.Passkey, error) {
	var passkey core.Passkey
	err := p.write(ctx, "passkey", func(ctx context.Context, db bun.IDB) error {
		var row passkeyRow
		if err := p.lock(db.NewSelect().Model(&row).Where("pk.id = ?", id)).Scan(ctx); err != nil {
			return err
		}
		passkey = row.passkey()
		changed := passkey
		if err := change(&changed); err != nil {
			return refusal{err}
		}
		passkey.Name, passkey.SignCount, passkey.LastUsedAt = changed.Name, changed.SignCount, changed.LastUsedAt
		if err := storage.CheckText(passkey); err != nil {
			return refusal{err}
		}
		_, err := db.NewUpdate().Model(rowOfPasskey(passkey)).Column("name", "sign_count", "last_used_at").Where("id = ?", id).Exec(ctx)
		return err
	})
	if err != nil {
		return core.Passkey{}, err
	}
	return passkey, nil
}

// Delete implements storage.Passkeys.
func (p passkeys) Delete(ctx context.Context, user, id core.ID) (core.Passkey, error) {
	var row passkeyRow
	err := p.exec(ctx, "passkey", func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("DELETE FROM passkeys WHERE id = ? AND user_id = ? RETURNING *", id, user).Scan(ctx, &row)
	})
	return row.passkey(), err
}

// DeleteOf implements storage.Passkeys.
func (p passkeys) DeleteOf(ctx context.Context, user core.ID) error {
	return removeWhere(ctx, p.session, "passkeys", "user_id = ?", user)
}
