package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type providerRow struct {
	bun.BaseModel `bun:"table:providers,alias:pr"`
	core.Provider
}

type providers struct{ session }

// Create implements storage.Providers.
func (p providers) Create(ctx context.Context, provider core.Provider) error {
	if err := storage.CheckText(provider); err != nil {
		return err
	}
	return p.write(ctx, "provider", func(ctx context.Context, db bun.IDB) error {
		if err := p.handOver(ctx, db, provider); err != nil {
			return err
		}
		_, err := db.NewInsert().Model(&providerRow{Provider: provider}).Exec(ctx)
		return err
	})
}

// handOver makes provider the default instead of the workspace's other providers, if it
// is to be one. The lock of the workspace serializes such calls.
func (p providers) handOver(ctx context.Context, db bun.IDB, provider core.Provider) error {
	if !provider.IsDefault {
		return nil
	}
	if err := p.lockWorkspace(ctx, db, "id = ?", provider.WorkspaceID); err != nil {
		return err
	}
	_, err := db.NewUpdate().Table("providers").Set("is_default = FALSE").
		Where("workspace_id = ? AND is_default AND id <> ?", provider.WorkspaceID, provider.ID).Exec(ctx)
	return err
}

func (p providers) lockWorkspace(ctx context.Context, db bun.IDB, where string, id core.ID) error {
	var locked core.ID
	return p.lock(db.NewSelect().Table("workspaces").Column("id").Where(where, id)).Scan(ctx, &locked)
}

// ByID implements storage.Providers.
func (p providers) ByID(ctx context.Context, id core.ID) (core.Provider, error) {
	row, err := find[providerRow](ctx, p.session, "provider", "id", string(id))
	return row.Provider, err
}

// List implements storage.Providers.
func (p providers) List(ctx context.Context, workspace core.ID) ([]core.Provider, error) {
	rows, err := list[providerRow](ctx, p.session, "workspace_id", string(workspace), "pr.created_at, pr.id")
	return each(rows, func(row providerRow) core.Provider { return row.Provider }), err
}

// Update implements storage.Providers.
func (p providers) Update(ctx context.Context, id core.ID, change func(*core.Provider) error) (core.Provider, error) {
	var row providerRow
	err := p.write(ctx, "provider", func(ctx context.Context, db bun.IDB) error {
		row = providerRow{}
		// Lock the workspace first, as in Create, to prevent deadlocks.
		err := p.lockWorkspace(ctx, db, "id = (SELECT workspace_id FROM providers WHERE id = ?)", id)
		if err != nil {
			return err
		}
		if err := lockRow(ctx, p.session, db, &row, id); err != nil {
			return err
		}
		before := row.Provider
		if err := change(&row.Provider); err != nil {
			return refusal{err}
		}
		row.ID, row.CreatedAt = before.ID, before.CreatedAt
		if err := storage.CheckText(row.Provider); err != nil {
			return err
		}
		if err := p.handOver(ctx, db, row.Provider); err != nil {
			return err
		}
		return replace(ctx, db, &row, id)
	})
	if err != nil {
		return core.Provider{}, err
	}
	return row.Provider, nil
}

// Delete implements storage.Providers.
func (p providers) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, p.session, "provider", "providers", id)
}
