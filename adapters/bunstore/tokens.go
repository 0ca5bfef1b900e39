package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type tokenRow struct {
	bun.BaseModel `bun:"table:api_tokens,alias:t"`
	core.APIToken
	LastUsedAt *int64
	ExpiresAt  *int64
}

func rowOfToken(token core.APIToken) *tokenRow {
	return &tokenRow{APIToken: token, LastUsedAt: (*int64)(token.LastUsedAt), ExpiresAt: (*int64)(token.ExpiresAt)}
}

func (t tokenRow) token() core.APIToken {
	t.APIToken.LastUsedAt, t.APIToken.ExpiresAt = (*core.Time)(t.LastUsedAt), (*core.Time)(t.ExpiresAt)
	return t.APIToken
}

type tokens struct{ session }

// Create implements storage.APITokens.
func (t tokens) Create(ctx context.Context, token core.APIToken) error {
	if err := storage.CheckText(token); err != nil {
		return err
	}
	return insert(ctx, t.session, "token", rowOfToken(token))
}

// ByHash implements storage.APITokens.
func (t tokens) ByHash(ctx context.Context, hash string) (core.APIToken, error) {
	row, err := find[tokenRow](ctx, t.session, "token", "token_hash", hash)
	return row.token(), err
}

// List implements storage.APITokens.
func (t tokens) List(ctx context.Context, user core.ID) ([]core.APIToken, error) {
	rows, err := list[tokenRow](ctx, t.session, "user_id", string(user), "t.created_at, t.id")
	return each(rows, tokenRow.token), err
}

// Touch implements storage.APITokens.
func (t tokens) Touch(ctx context.Context, id core.ID, at core.Time) error {
	return t.exec(ctx, "token", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewUpdate().Table("api_tokens").
			Set("last_used_at = CASE WHEN last_used_at > ? THEN last_used_at ELSE ? END", at, at).
			Where("id = ?", id).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "token")
	})
}

// Delete implements storage.APITokens.
func (t tokens) Delete(ctx context.Context, user, id core.ID) (core.APIToken, error) {
	var row tokenRow
	err := t.exec(ctx, "token", func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("DELETE FROM api_tokens WHERE id = ? AND user_id = ? RETURNING *", id, user).Scan(ctx, &row)
	})
	return row.token(), err
}

// DeleteOf implements storage.APITokens.
func (t tokens) DeleteOf(ctx context.Context, user core.ID) error {
	return removeWhere(ctx, t.session, "api_tokens", "user_id = ?", user)
}
