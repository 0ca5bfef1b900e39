package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type runRow struct {
	bun.BaseModel `bun:"table:runs,alias:r"`
	core.Run
	EndedAt *int64
}

func rowOfRun(run core.Run) *runRow { return &runRow{Run: run, EndedAt: (*int64)(run.EndedAt)} }

func (r runRow) run() core.Run {
	r.Run.EndedAt = (*core.Time)(r.EndedAt)
	return r.Run
}

type runs struct{ session }

// Create implements storage.Runs.
func (r runs) Create(ctx context.Context, run core.Run) error {
	if err := storage.CheckText(run); err != nil {
		return err
	}
	return insert(ctx, r.session, "run", rowOfRun(run))
}

// ByID implements storage.Runs.
func (r runs) ByID(ctx context.Context, id core.ID) (core.Run, error) {
	row, err := find[runRow](ctx, r.session, "run", "id", string(id))
	return row.run(), err
}

// Busy implements storage.Runs.
func (r runs) Busy(ctx context.Context, chat core.ID) (core.Run, error) {
	var row runRow
	err := r.read(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&row).
			Where("r.chat_id = ? AND r.status IN ('queued', 'running')", chat).Scan(ctx)
	})
	return row.run(), err
}

// Claim implements storage.Runs.
func (r runs) Claim(ctx context.Context, owner string, leaseUntil core.Time, except []core.ID) (core.Run, error) {
	if err := storage.CheckText(core.Run{Owner: owner}); err != nil {
		return core.Run{}, err
	}
	// The id "" matches nothing, so the list is never empty.
	others := append([]core.ID{""}, except...)
	var row runRow
	err := r.exec(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("UPDATE runs SET status = ?, owner = ?, lease_until = ? WHERE id = ("+
			"SELECT id FROM runs WHERE status = 'queued' AND (workspace_id IN (?)) IS NOT TRUE ORDER BY created_at, id LIMIT 1"+
			r.speaks().skipLocked()+") RETURNING *", core.RunRunning, owner, leaseUntil, bun.List(others)).Scan(ctx, &row)
	})
	return row.run(), err
}

// CountRunning implements storage.Runs.
func (r runs) CountRunning(ctx context.Context, workspace core.ID) (running int, err error) {
	err = r.read(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Table("runs").ColumnExpr("count(*)").
			Where("status = 'running' AND workspace_id = ?", workspace).Scan(ctx, &running)
	})
	return running, err
}

// Made implements storage.Runs.
func (r runs) Made(ctx context.Context, project core.ID, versions []string) ([]core.Run, error) {
	if len(versions) == 0 {
		return nil, nil
	}
	var rows []runRow
	err := r.read(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).
			Where("r.project_id = ? AND r.version_id <> '' AND r.version_id IN (?)", project, bun.List(versions)).Scan(ctx)
	})
	return each(rows, runRow.run), err
}

// Lapsed implements storage.Runs.
func (r runs) Lapsed(ctx context.Context, now core.Time) ([]core.Run, error) {
	var rows []runRow
	err := r.read(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).
			Where("r.status = 'running' AND r.lease_until < ?", now).
			OrderExpr("r.created_at, r.id").Scan(ctx)
	})
	return each(rows, runRow.run), err
}

// Hold implements storage.Runs.
func (r runs) Hold(ctx context.Context, id core.ID, hold core.Hold, allow func(core.Funds) error) error {
	return r.write(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		var row runRow
		if err := db.NewSelect().Model(&row).Where("r.id = ?", id).Scan(ctx); err != nil {
			return err
		}
		if row.Status != core.RunRunning {
			return core.Errorf(core.CodeConflict, "the run is %s", row.Status)
		}
		funds, payer, err := lockFunds(ctx, r.session, db, caller{run: row.ID, workspace: row.WorkspaceID, sender: row.UserID}, hold)
		if err != nil {
			return err
		}
		if err := allow(funds); err != nil {
			return refusal{err}
		}
		result, err := db.NewUpdate().Table("runs").Set("credit_held = ?", hold.Amount).Set("payer = ?", payer).
			Where("id = ? AND status = 'running'", id).Exec(ctx)
		if err != nil {
			return err
		}
		if oneRow(result, "run") != nil {
			return core.Errorf(core.CodeConflict, "the run has ended")
		}
		return nil
	})
}

// Update implements storage.Runs.
func (r runs) Update(ctx context.Context, id core.ID, change func(*core.Run) error) (core.Run, error) {
	row, err := update(ctx, r.session, "run", id, func(row *runRow) error {
		run := row.run()
		if err := change(&run); err != nil {
			return err
		}
		run.ID, run.CreatedAt = row.ID, row.CreatedAt
		*row = *rowOfRun(run)
		return storage.CheckText(run)
	})
	return row.run(), err
}
