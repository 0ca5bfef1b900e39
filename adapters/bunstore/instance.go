package bunstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// instanceRow keeps the settings as JSON.
type instanceRow struct {
	bun.BaseModel `bun:"table:instance_settings,alias:se"`
	ID            int
	Content       string
}

// instanceID is the id of the only record.
const instanceID = 1

type instanceSettings struct{ session }

// Get implements storage.InstanceSettings.
func (s instanceSettings) Get(ctx context.Context) (settings core.InstanceSettings, err error) {
	err = s.read(ctx, "settings", func(ctx context.Context, db bun.IDB) error {
		settings, err = readInstance(ctx, db.NewSelect().Table("instance_settings").Column("content"))
		return err
	})
	return settings, err
}

func readInstance(ctx context.Context, query *bun.SelectQuery) (settings core.InstanceSettings, err error) {
	var content string
	err = query.Where("id = ?", instanceID).Scan(ctx, &content)
	if errors.Is(err, sql.ErrNoRows) {
		return core.InstanceSettings{}, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(content), &settings)
	}
	return settings, err
}

// Update implements storage.InstanceSettings.
func (s instanceSettings) Update(ctx context.Context, change func(*core.InstanceSettings) error) (core.InstanceSettings, error) {
	var settings core.InstanceSettings
	err := s.write(ctx, "settings", func(ctx context.Context, db bun.IDB) error {
		empty := instanceRow{ID: instanceID, Content: "{}"}
		_, err := db.NewInsert().Model(&empty).On("CONFLICT (id) DO NOTHING").Exec(ctx)
		if err != nil {
			return err
		}
		if settings, err = readInstance(ctx, s.lock(db.NewSelect().Table("instance_settings").Column("content"))); err != nil {
			return err
		}
		if err := change(&settings); err != nil {
			return refusal{err}
		}
		if err := storage.CheckText(settings); err != nil {
			return refusal{err}
		}
		content, err := json.Marshal(settings)
		if err != nil {
			return err
		}
		_, err = db.NewUpdate().Table("instance_settings").Set("content = ?", string(content)).Where("id = ?", instanceID).Exec(ctx)
		return err
	})
	if err != nil {
		return core.InstanceSettings{}, err
	}
	return settings, nil
}

type instanceInviteRow struct {
	bun.BaseModel `bun:"table:instance_invites,alias:ii"`
	core.InstanceInvite
}

func (r instanceInviteRow) invite() core.InstanceInvite { return r.InstanceInvite }

type instanceInvites struct{ session }

// Create is one statement, as that of invites is.
func (i instanceInvites) Create(ctx context.Context, invite core.InstanceInvite) error {
	if err := storage.CheckText(invite); err != nil {
		return err
	}
	return i.exec(ctx, "invite", func(ctx context.Context, db bun.IDB) error {
		query := db.NewInsert().Model(&instanceInviteRow{InstanceInvite: invite}).On("CONFLICT (email) DO UPDATE")
		for _, column := range []string{"id", "invited_by", "created_at", "expires_at", "token_hash", "link_hash"} {
			query = query.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
		}
		_, err := query.Exec(ctx)
		return err
	})
}

// ByID implements storage.InstanceInvites.
func (i instanceInvites) ByID(ctx context.Context, id core.ID) (core.InstanceInvite, error) {
	row, err := find[instanceInviteRow](ctx, i.session, "invite", "id", string(id))
	return row.InstanceInvite, err
}

// ByHash implements storage.InstanceInvites.
func (i instanceInvites) ByHash(ctx context.Context, hash string) (core.InstanceInvite, error) {
	var row instanceInviteRow
	err := i.read(ctx, "invite", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&row).Where("token_hash = ? OR link_hash = ?", hash, hash).Scan(ctx)
	})
	return row.InstanceInvite, err
}

// ByEmail implements storage.InstanceInvites.
func (i instanceInvites) ByEmail(ctx context.Context, email string) (core.InstanceInvite, error) {
	row, err := find[instanceInviteRow](ctx, i.session, "invite", "email", email)
	return row.InstanceInvite, err
}

// List implements storage.InstanceInvites.
func (i instanceInvites) List(ctx context.Context) ([]core.InstanceInvite, error) {
	var rows []instanceInviteRow
	err := i.read(ctx, "invite", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).OrderExpr("ii.created_at, ii.id").Scan(ctx)
	})
	return each(rows, instanceInviteRow.invite), err
}

// Delete implements storage.InstanceInvites.
func (i instanceInvites) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, i.session, "invite", "instance_invites", id)
}

// Prune implements storage.InstanceInvites.
func (i instanceInvites) Prune(ctx context.Context, before core.Time) error {
	return removeWhere(ctx, i.session, "instance_invites", "expires_at < ?", before)
}

type personRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`
	core.User
	LastSeenAt core.Time `bun:",scanonly"`
	Workspaces int       `bun:",scanonly"`
}

func (r personRow) person() core.Person {
	return core.Person{User: r.User, LastSeenAt: r.LastSeenAt, Workspaces: r.Workspaces}
}

type roster struct{ session }

// List implements storage.Roster.
func (r roster) List(ctx context.Context, query string, page core.Page) ([]core.Person, error) {
	if page.Limit < 1 || !storage.Storable(query) || page.Before != nil && storage.CheckText(*page.Before) != nil {
		return nil, nil
	}
	var rows []personRow
	err := r.read(ctx, "user", func(ctx context.Context, db bun.IDB) error {
		found := db.NewSelect().Model(&rows).ColumnExpr("u.*").
			ColumnExpr("COALESCE((SELECT MAX(s.last_seen_at) FROM sessions AS s WHERE s.user_id = u.id), 0) AS last_seen_at").
			ColumnExpr("(SELECT COUNT(*) FROM memberships AS m WHERE m.user_id = u.id) AS workspaces")
		if query != "" {
			within := func(text string) string { return r.speaks().find(text, "LOWER(?)") + " > 0" }
			found = found.Where("("+within("u.email")+" OR "+within("LOWER(COALESCE(u.display_name, ''))")+")", query, query)
		}
		if page.Before != nil {
			found = found.Where("(u.created_at, u.id) < (?, ?)", page.Before.CreatedAt, page.Before.ID)
		}
		return found.OrderExpr("u.created_at DESC, u.id DESC").Limit(int64(page.Limit)).Scan(ctx)
	})
	return each(rows, personRow.person), err
}

// Admins implements storage.Roster.
func (r roster) Admins(ctx context.Context, named core.AdminEmails) (int, error) {
	var count int64
	err := r.read(ctx, "user", func(ctx context.Context, db bun.IDB) (err error) {
		count, err = db.NewSelect().Table("users").Where("disabled_at = 0").
			Where("(admin OR email_verified AND email IN (?))", bun.List(append([]string{""}, named...))).Count(ctx)
		return err
	})
	return int(count), err
}
