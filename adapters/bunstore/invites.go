package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type inviteRow struct {
	bun.BaseModel `bun:"table:invites,alias:i"`
	core.Invite
}

type invites struct{ session }

// Create is one statement, so that parallel invites to one address wait for each other
// and one remains.
func (i invites) Create(ctx context.Context, invite core.Invite) error {
	if err := storage.CheckText(invite); err != nil {
		return err
	}
	return i.exec(ctx, "invite", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewInsert().Model(&inviteRow{Invite: invite}).
			On("CONFLICT (workspace_id, email) DO UPDATE").
			Set("id = EXCLUDED.id").Set("role = EXCLUDED.role").
			Set("invited_by = EXCLUDED.invited_by").Set("token_hash = EXCLUDED.token_hash").
			Set("link_hash = EXCLUDED.link_hash").
			Set("created_at = EXCLUDED.created_at").Set("expires_at = EXCLUDED.expires_at").
			Exec(ctx)
		return err
	})
}

// ByID implements storage.Invites.
func (i invites) ByID(ctx context.Context, id core.ID) (core.Invite, error) {
	row, err := find[inviteRow](ctx, i.session, "invite", "id", string(id))
	return row.Invite, err
}

// ByHash implements storage.Invites.
func (i invites) ByHash(ctx context.Context, hash string) (core.Invite, error) {
	var row inviteRow
	err := i.read(ctx, "invite", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&row).Where("token_hash = ? OR link_hash = ?", hash, hash).Scan(ctx)
	})
	return row.Invite, err
}

// SetLink implements storage.Invites.
func (i invites) SetLink(ctx context.Context, id core.ID, hash string) error {
	return i.exec(ctx, "invite", func(ctx context.Context, db bun.IDB) error {
		result, err := db.ExecContext(ctx, "UPDATE invites SET link_hash = ? WHERE id = ?", hash, id)
		if err != nil {
			return err
		}
		return oneRow(result, "invite")
	})
}

// List implements storage.Invites.
func (i invites) List(ctx context.Context, filter storage.InviteFilter) ([]core.Invite, error) {
	column, value := "workspace_id", string(filter.WorkspaceID)
	if filter.Email != "" {
		column, value = "email", filter.Email
	}
	rows, err := list[inviteRow](ctx, i.session, column, value, "i.created_at, i.id")
	return each(rows, func(row inviteRow) core.Invite { return row.Invite }), err
}

// Delete implements storage.Invites.
func (i invites) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, i.session, "invite", "invites", id)
}

// Prune implements storage.Invites.
func (i invites) Prune(ctx context.Context, before core.Time) error {
	return removeWhere(ctx, i.session, "invites", "expires_at < ?", before)
}
