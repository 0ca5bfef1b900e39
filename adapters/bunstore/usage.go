package bunstore

import (
	"context"

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

func (u usage) Add(ctx context.Context, workspace core.ID, row core.UsageRow) error {
	if !storage.Storable(string(workspace)) {
		return core.NotFound("workspace")
	}
	if err := storage.CheckText(row); err != nil {
		return err
	}
	return u.exec(ctx, "usage", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewInsert().Model(&usageRow{UsageRow: row, WorkspaceID: workspace}).
			On("CONFLICT (workspace_id, day, model) DO UPDATE").
			Set("input_tokens = u.input_tokens + EXCLUDED.input_tokens").
			Set("output_tokens = u.output_tokens + EXCLUDED.output_tokens").
			Set("cost = u.cost + EXCLUDED.cost").
			Exec(ctx)
		return err
	})
}

func (u usage) List(ctx context.Context, workspace core.ID) ([]core.UsageRow, error) {
	rows, err := list[usageRow](ctx, u.session, "workspace_id", string(workspace), "u.day DESC, u.model")
	return each(rows, func(row usageRow) core.UsageRow { return row.UsageRow }), err
}
