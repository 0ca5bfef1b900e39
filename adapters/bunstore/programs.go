package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type programClientRow struct {
	bun.BaseModel `bun:"table:program_clients,alias:pc"`
	core.ProgramClient
}

func (r programClientRow) client() core.ProgramClient { return r.ProgramClient }

type programClients struct{ session }

// Create implements storage.ProgramClients.
func (p programClients) Create(ctx context.Context, client core.ProgramClient) error {
	if err := storage.CheckText(client); err != nil {
		return err
	}
	return insert(ctx, p.session, "program", &programClientRow{ProgramClient: client})
}

// ByID implements storage.ProgramClients.
func (p programClients) ByID(ctx context.Context, id core.ID) (core.ProgramClient, error) {
	row, err := find[programClientRow](ctx, p.session, "program", "id", string(id))
	return row.client(), err
}

// Use implements storage.ProgramClients.
func (p programClients) Use(ctx context.Context, id core.ID, at core.Time) error {
	return p.exec(ctx, "program", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewUpdate().Table("program_clients").
			Set("used_at = CASE WHEN used_at > ? THEN used_at ELSE ? END", at, at).
			Where("id = ?", id).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "program")
	})
}

// Unused implements storage.ProgramClients.
func (p programClients) Unused(ctx context.Context) (count int, err error) {
	err = p.read(ctx, "program", func(ctx context.Context, db bun.IDB) error {
		found, err := db.NewSelect().Table("program_clients").Where("used_at = 0").Count(ctx)
		count = int(found)
		return err
	})
	return count, err
}

// Prune implements storage.ProgramClients.
func (p programClients) Prune(ctx context.Context, unused, used core.Time) error {
	return removeWhere(ctx, p.session, "program_clients", "used_at = 0 AND created_at < ? OR used_at > 0 AND used_at < ?", unused, used)
}

// programGrantRow keeps Scopes as JSON.
type programGrantRow struct {
	bun.BaseModel `bun:"table:program_grants,alias:pg"`
	core.ProgramGrant
}

func (r programGrantRow) grant() core.ProgramGrant { return r.ProgramGrant }

type programGrants struct{ session }

// Create implements storage.ProgramGrants.
func (p programGrants) Create(ctx context.Context, grant core.ProgramGrant) error {
	if err := storage.CheckText(grant); err != nil {
		return err
	}
	return insert(ctx, p.session, "program", &programGrantRow{ProgramGrant: grant})
}

// ByHash implements storage.ProgramGrants.
func (p programGrants) ByHash(ctx context.Context, hash string) (core.ProgramGrant, error) {
	row, err := find[programGrantRow](ctx, p.session, "program", "access_hash", hash)
	if core.IsCode(err, core.CodeNotFound) {
		row, err = find[programGrantRow](ctx, p.session, "program", "family_hash", hash)
	}
	return row.grant(), err
}

// List implements storage.ProgramGrants.
func (p programGrants) List(ctx context.Context, user core.ID) ([]core.ProgramGrant, error) {
	rows, err := list[programGrantRow](ctx, p.session, "user_id", string(user), "pg.created_at, pg.id")
	return each(rows, programGrantRow.grant), err
}

// Update implements storage.ProgramGrants.
func (p programGrants) Update(ctx context.Context, id core.ID, change func(*core.ProgramGrant) error) (core.ProgramGrant, error) {
	row, err := update(ctx, p.session, "program", id, func(row *programGrantRow) error {
		before := row.ProgramGrant
		if err := change(&row.ProgramGrant); err != nil {
			return err
		}
		row.ID, row.UserID, row.FamilyHash, row.CreatedAt = before.ID, before.UserID, before.FamilyHash, before.CreatedAt
		return storage.CheckText(row.ProgramGrant)
	})
	return row.grant(), err
}

// Delete implements storage.ProgramGrants.
func (p programGrants) Delete(ctx context.Context, user, id core.ID) (core.ProgramGrant, error) {
	var row programGrantRow
	err := p.exec(ctx, "program", func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("DELETE FROM program_grants WHERE id = ? AND user_id = ? RETURNING *", id, user).Scan(ctx, &row)
	})
	return row.grant(), err
}

// DeleteOf implements storage.ProgramGrants.
func (p programGrants) DeleteOf(ctx context.Context, user core.ID) error {
	return removeWhere(ctx, p.session, "program_grants", "user_id = ?", user)
}

// Prune implements storage.ProgramGrants.
func (p programGrants) Prune(ctx context.Context, before core.Time) error {
	return removeWhere(ctx, p.session, "program_grants", "expires_at < ?", before)
}
