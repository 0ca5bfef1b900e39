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
		funds, err := r.lockFunds(ctx, db, &row.Run, hold)
		if err != nil {
			return err
		}
		if err := allow(funds); err != nil {
			return refusal{err}
		}
		result, err := db.NewUpdate().Table("runs").Set("credit_held = ?", hold.Amount).Set("payer = ?", row.Payer).
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

// lockFunds locks the workspace of a run, then the spenders in the order of their ids,
// and adds up what other runs hold. It sets the run's payer.
func (r runs) lockFunds(ctx context.Context, db bun.IDB, run *core.Run, hold core.Hold) (funds core.Funds, err error) {
	if run.Status != core.RunRunning {
		return funds, core.Errorf(core.CodeConflict, "the run is %s", run.Status)
	}
	var row workspaceRow
	if err := lockRow(ctx, r.session, db, &row, run.WorkspaceID); err != nil {
		return funds, err
	}
	funds.Workspace = row.Workspace
	if funds.Held, err = heldBeside(ctx, db, run.ID, "workspace_id = ?", run.WorkspaceID); err != nil {
		return funds, err
	}
	run.Payer = ""
	if !hold.Platform {
		return funds, nil
	}
	if run.Payer, err = payerOf(ctx, db, *run); err != nil {
		return funds, err
	}
	for _, user := range inOrder([]core.ID{run.UserID, run.Payer}) {
		spender := core.Spender{UserID: user}
		if spender.Used, err = charge(ctx, db, user, 0); err != nil {
			return funds, err
		}
		spender.Held, err = heldBeside(ctx, db, run.ID, "payer <> '' AND (payer = ? OR user_id = ?)", user, user)
		if err != nil {
			return funds, err
		}
		funds.Spenders = append(funds.Spenders, spender)
	}
	return funds, nil
}

// heldBeside adds up what the other matching running runs hold.
func heldBeside(ctx context.Context, db bun.IDB, run core.ID, match string, args ...any) (held float64, err error) {
	err = db.NewSelect().Table("runs").ColumnExpr("coalesce(sum(credit_held), 0.0)").
		Where("status = 'running' AND id <> ?", run).Where(match, args...).Scan(ctx, &held)
	return held, err
}

// payerOf returns the owner of the run's workspace who joined first, else the user who
// sent the message.
func payerOf(ctx context.Context, db bun.IDB, run core.Run) (core.ID, error) {
	var owners []core.ID
	err := db.NewSelect().Table("memberships").Column("user_id").
		Where("workspace_id = ? AND role = ?", run.WorkspaceID, core.RoleOwner).
		OrderExpr("joined_at, user_id").Limit(1).Scan(ctx, &owners)
	if err != nil || len(owners) == 0 {
		return run.UserID, err
	}
	return owners[0], nil
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
