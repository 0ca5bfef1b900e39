package bunstore

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type usageRow struct {
	bun.BaseModel `bun:"table:usage,alias:u"`
	core.UsageRow
	WorkspaceID core.ID
}

type usage struct{ session }

// Add implements storage.Usage.
func (u usage) Add(ctx context.Context, workspace core.ID, row core.UsageRow) error {
	if err := storage.CheckText(row); err != nil {
		return err
	}
	return u.exec(ctx, "usage", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewInsert().Model(&usageRow{UsageRow: row, WorkspaceID: workspace}).
			On("CONFLICT (workspace_id, day, model) DO UPDATE").
			Set("input_tokens = u.input_tokens + EXCLUDED.input_tokens").
			Set("cached_tokens = u.cached_tokens + EXCLUDED.cached_tokens").
			Set("output_tokens = u.output_tokens + EXCLUDED.output_tokens").
			Set("cost = u.cost + EXCLUDED.cost").
			Exec(ctx)
		return err
	})
}

// Charge implements storage.Usage.
func (u usage) Charge(ctx context.Context, users []core.ID, cost float64) error {
	return u.write(ctx, "usage", func(ctx context.Context, db bun.IDB) error {
		for _, user := range inOrder(users) {
			if _, err := charge(ctx, db, user, cost); err != nil {
				return err
			}
		}
		return nil
	})
}

// inOrder returns the users without duplicates, in the order in which their rows are
// always locked.
func inOrder(users []core.ID) []core.ID { return slices.Compact(slices.Sorted(slices.Values(users))) }

// charge adds to a person's spending, locks the row, and returns the new sum.
func charge(ctx context.Context, db bun.IDB, user core.ID, cost float64) (spent float64, err error) {
	err = db.NewRaw("INSERT INTO platform_spending AS p (user_id, spent) VALUES (?, ?) "+
		"ON CONFLICT (user_id) DO UPDATE SET spent = p.spent + EXCLUDED.spent RETURNING spent", user, cost).Scan(ctx, &spent)
	return spent, err
}

// Charged implements storage.Usage.
func (u usage) Charged(ctx context.Context, user core.ID) (spent float64, err error) {
	err = u.read(ctx, "usage", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Table("platform_spending").Column("spent").Where("user_id = ?", user).Scan(ctx, &spent)
	})
	if core.IsCode(err, core.CodeNotFound) {
		return 0, nil
	}
	return spent, err
}

// List implements storage.Usage.
func (u usage) List(ctx context.Context, workspace core.ID) ([]core.UsageRow, error) {
	rows, err := list[usageRow](ctx, u.session, "workspace_id", string(workspace), "u.day DESC, u.model")
	return each(rows, func(row usageRow) core.UsageRow { return row.UsageRow }), err
}
