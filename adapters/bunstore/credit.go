package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// caller is who makes a model call: a run with its sender, or, without both, a function.
type caller struct{ run, workspace, sender core.ID }

// lockFunds locks the workspace of a call, then the spenders in the order of their ids, and adds up
// what other calls hold. It returns who pays beside the sender.
func lockFunds(ctx context.Context, in session, db bun.IDB, by caller, hold core.Hold) (funds core.Funds, payer core.ID, err error) {
	var row workspaceRow
	if err := lockRow(ctx, in, db, &row, by.workspace); err != nil {
		return funds, "", err
	}
	funds.Workspace = row.Workspace
	beside := otherCalls{run: by.run, at: hold.At}
	if funds.Held, err = beside.hold(ctx, db, "workspace_id = ?", "workspace_id = ?", by.workspace); err != nil {
		return funds, "", err
	}
	if !hold.Platform {
		return funds, "", nil
	}
	if payer, err = payerOf(ctx, db, by); err != nil {
		return funds, "", err
	}
	for _, user := range inOrder([]core.ID{by.sender, payer}) {
		if user == "" {
			continue
		}
		spender := core.Spender{UserID: user}
		if spender.Used, err = charge(ctx, db, user, 0); err != nil {
			return funds, "", err
		}
		spender.Held, err = beside.hold(ctx, db, "payer <> '' AND ? IN (payer, user_id)", "payer = ?", user)
		if err != nil {
			return funds, "", err
		}
		funds.Spenders = append(funds.Spenders, spender)
	}
	return funds, payer, nil
}

// otherCalls are all calls but those of a run, at a time.
type otherCalls struct {
	run core.ID
	at  core.Time
}

// hold adds up what matching running runs, and calls without a run, hold. The conditions take arg.
func (o otherCalls) hold(ctx context.Context, db bun.IDB, runs, holds string, arg any) (held float64, err error) {
	var free float64
	err = db.NewSelect().Table("runs").ColumnExpr("coalesce(sum(credit_held), 0.0)").
		Where("status = 'running' AND id <> ?", o.run).Where(runs, arg).Scan(ctx, &held)
	if err == nil {
		err = db.NewSelect().Table("credit_holds").ColumnExpr("coalesce(sum(amount), 0.0)").
			Where("until > ?", o.at).Where(holds, arg).Scan(ctx, &free)
	}
	return held + free, err
}

// payerOf returns the owner of the workspace who joined first, else the sender.
func payerOf(ctx context.Context, db bun.IDB, by caller) (core.ID, error) {
	var owners []core.ID
	err := db.NewSelect().Table("memberships").Column("user_id").
		Where("workspace_id = ? AND role = ?", by.workspace, core.RoleOwner).
		OrderExpr("joined_at, user_id").Limit(1).Scan(ctx, &owners)
	if err != nil || len(owners) == 0 {
		return by.sender, err
	}
	return owners[0], nil
}

type creditHoldRow struct {
	bun.BaseModel `bun:"table:credit_holds,alias:ch"`
	core.CreditHold
}

type creditHolds struct{ session }

// Hold implements storage.CreditHolds.
func (c creditHolds) Hold(ctx context.Context, reservation core.CreditHold, hold core.Hold, allow func(core.Funds) error) (core.CreditHold, error) {
	if err := storage.CheckText(reservation); err != nil {
		return core.CreditHold{}, err
	}
	reservation.Amount = hold.Amount
	err := c.write(ctx, "workspace", func(ctx context.Context, db bun.IDB) error {
		funds, payer, err := lockFunds(ctx, c.session, db, caller{workspace: reservation.WorkspaceID}, hold)
		if err != nil {
			return err
		}
		if err := allow(funds); err != nil {
			return refusal{err}
		}
		reservation.Payer = payer
		_, err = db.NewDelete().Table("credit_holds").Where("workspace_id = ? AND until <= ?", reservation.WorkspaceID, hold.At).Exec(ctx)
		if err == nil {
			_, err = db.NewInsert().Model(&creditHoldRow{CreditHold: reservation}).Exec(ctx)
		}
		return err
	})
	return reservation, err
}

// Release implements storage.CreditHolds.
func (c creditHolds) Release(ctx context.Context, id core.ID) error {
	return c.exec(ctx, "reservation", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewDelete().Table("credit_holds").Where("id = ?", id).Exec(ctx)
		return err
	})
}
