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

func (r runs) Create(ctx context.Context, run core.Run) error {
	if err := storage.CheckText(run); err != nil {
		return err
	}
	return insert(ctx, r.session, "run", rowOfRun(run))
}

func (r runs) ByID(ctx context.Context, id core.ID) (core.Run, error) {
	row, err := find[runRow](ctx, r.session, "run", "id", string(id))
	return row.run(), err
}

func (r runs) Busy(ctx context.Context, chat core.ID) (core.Run, error) {
	if !storage.Storable(string(chat)) {
		return core.Run{}, core.NotFound("run")
	}
	var row runRow
	err := r.read(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&row).
			Where("r.chat_id = ? AND r.status IN ('queued', 'running')", chat).Scan(ctx)
	})
	return row.run(), err
}

func (r runs) Claim(ctx context.Context, owner string, leaseUntil core.Time) (core.Run, error) {
	if err := storage.CheckText(core.Run{Owner: owner}); err != nil {
		return core.Run{}, err
	}
	var row runRow
	err := r.exec(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("UPDATE runs SET status = ?, owner = ?, lease_until = ? WHERE id = ("+
			"SELECT id FROM runs WHERE status = 'queued' ORDER BY created_at, id LIMIT 1"+
			r.speaks().skipLocked()+") RETURNING *", core.RunRunning, owner, leaseUntil).Scan(ctx, &row)
	})
	return row.run(), err
}

func (r runs) Lapsed(ctx context.Context, now core.Time) ([]core.Run, error) {
	var rows []runRow
	err := r.read(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).
			Where("r.status = 'running' AND r.lease_until < ?", now).
			OrderExpr("r.created_at, r.id").Scan(ctx)
	})
	return each(rows, runRow.run), err
}

func (r runs) Hold(ctx context.Context, id core.ID, amount float64, allow func(core.Workspace, float64) error) error {
	if !storage.Storable(string(id)) {
		return core.NotFound("run")
	}
	return r.write(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		var row runRow
		if err := db.NewSelect().Model(&row).Where("r.id = ?", id).Scan(ctx); err != nil {
			return err
		}
		workspace, held, err := r.lockCredit(ctx, db, row.Run)
		if err != nil {
			return err
		}
		if err := allow(workspace, held); err != nil {
			return refusal{err}
		}
		result, err := db.NewUpdate().Table("runs").Set("credit_held = ?", amount).
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

// lockCredit locks the workspace of a run, and sums what its other runs hold.
func (r runs) lockCredit(ctx context.Context, db bun.IDB, run core.Run) (workspace core.Workspace, held float64, err error) {
	if run.Status != core.RunRunning {
		return workspace, 0, core.Errorf(core.CodeConflict, "the run is %s", run.Status)
	}
	var row workspaceRow
	if err := lockRow(ctx, r.session, db, &row, run.WorkspaceID); err != nil {
		return workspace, 0, err
	}
	err = db.NewSelect().Table("runs").ColumnExpr("coalesce(sum(credit_held), 0.0)").
		Where("workspace_id = ? AND status = 'running' AND id <> ?", run.WorkspaceID, run.ID).
		Scan(ctx, &held)
	return row.Workspace, held, err
}

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
