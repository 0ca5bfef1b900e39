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

// onlyID is the id of a table's only record.
const onlyID = 1

// onlyRecord is a table with one record, which is JSON.
type onlyRecord[T any] struct {
	session
	table, noun string
}

// Get returns the record, the zero value before the first change.
func (o onlyRecord[T]) Get(ctx context.Context) (record T, err error) {
	err = o.read(ctx, o.noun, func(ctx context.Context, db bun.IDB) error {
		record, err = o.load(ctx, db.NewSelect().Table(o.table).Column("content"))
		return err
	})
	return record, err
}

func (o onlyRecord[T]) load(ctx context.Context, query *bun.SelectQuery) (record T, err error) {
	var content string
	err = query.Where("id = ?", onlyID).Scan(ctx, &content)
	if errors.Is(err, sql.ErrNoRows) {
		return record, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(content), &record)
	}
	return record, err
}

// Update changes the record under its lock.
func (o onlyRecord[T]) Update(ctx context.Context, change func(*T) error) (T, error) {
	var record, none T
	err := o.write(ctx, o.noun, func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewRaw("INSERT INTO ? (id, content) VALUES (?, '{}') ON CONFLICT (id) DO NOTHING", bun.Ident(o.table), onlyID).Exec(ctx)
		if err != nil {
			return err
		}
		if record, err = o.load(ctx, o.lock(db.NewSelect().Table(o.table).Column("content"))); err != nil {
			return err
		}
		if err := change(&record); err != nil {
			return refusal{err}
		}
		if err := storage.CheckText(record); err != nil {
			return refusal{err}
		}
		content, err := json.Marshal(record)
		if err != nil {
			return err
		}
		_, err = db.NewUpdate().Table(o.table).Set("content = ?", string(content)).Where("id = ?", onlyID).Exec(ctx)
		return err
	})
	if err != nil {
		return none, err
	}
	return record, nil
}

func instanceSettings(in session) storage.InstanceSettings {
	return onlyRecord[core.InstanceSettings]{in, "instance_settings", "settings"}
}

func lastBackup(in session) storage.LastBackup {
	return onlyRecord[core.BackupRun]{in, "backup_runs", "backup"}
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
