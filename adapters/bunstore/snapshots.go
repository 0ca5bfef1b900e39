package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type snapshotRow struct {
	bun.BaseModel `bun:"table:data_snapshots,alias:ds"`
	core.DataSnapshot
}

func (r snapshotRow) snapshot() core.DataSnapshot { return r.DataSnapshot }

type snapshots struct{ session }

// Create implements storage.Snapshots.
func (s snapshots) Create(ctx context.Context, snapshot core.DataSnapshot) error {
	if err := storage.CheckText(snapshot); err != nil {
		return err
	}
	return insert(ctx, s.session, "snapshot", &snapshotRow{DataSnapshot: snapshot})
}

// ByID implements storage.Snapshots.
func (s snapshots) ByID(ctx context.Context, id core.ID) (core.DataSnapshot, error) {
	row, err := find[snapshotRow](ctx, s.session, "snapshot", "id", string(id))
	return row.snapshot(), err
}

// List implements storage.Snapshots.
func (s snapshots) List(ctx context.Context, project core.ID, env core.DataEnv) (found []core.DataSnapshot, err error) {
	err = s.read(ctx, "snapshot", func(ctx context.Context, db bun.IDB) error {
		var rows []snapshotRow
		err := db.NewSelect().Model(&rows).Where("ds.project_id = ? AND ds.env = ? AND ds.state = ?", project, env, core.SnapshotKept).
			OrderExpr("ds.created_at DESC, ds.id DESC").Scan(ctx)
		found = each(rows, snapshotRow.snapshot)
		return err
	})
	return found, err
}

// Update implements storage.Snapshots.
func (s snapshots) Update(ctx context.Context, id core.ID, change func(*core.DataSnapshot) error) (core.DataSnapshot, error) {
	row, err := update(ctx, s.session, "snapshot", id, func(row *snapshotRow) error {
		changed := row.DataSnapshot
		if err := change(&changed); err != nil {
			return err
		}
		row.Bytes, row.SchemaPrint, row.State, row.DueAt = changed.Bytes, changed.SchemaPrint, changed.State, changed.DueAt
		return storage.CheckText(row.DataSnapshot)
	})
	return row.snapshot(), err
}

// Delete implements storage.Snapshots.
func (s snapshots) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, s.session, "snapshot", "data_snapshots", id)
}

var snapshotSchedule = schedule{noun: "snapshot", table: "data_snapshots", column: "due_at", where: "due_at > 0 AND "}

// Claim implements storage.Snapshots.
func (s snapshots) Claim(ctx context.Context, now, until core.Time) (core.DataSnapshot, error) {
	var row snapshotRow
	err := snapshotSchedule.claim(ctx, s.session, &row, now, until)
	return row.snapshot(), err
}
