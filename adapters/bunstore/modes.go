package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// modeRow keeps Tools as JSON.
type modeRow struct {
	bun.BaseModel `bun:"table:modes,alias:mo"`
	core.Mode
}

type modes struct{ session }

// Create implements storage.Modes.
func (m modes) Create(ctx context.Context, mode core.Mode) error {
	if err := storage.CheckText(mode); err != nil {
		return err
	}
	return insert(ctx, m.session, "mode", &modeRow{Mode: mode})
}

// ByName implements storage.Modes.
func (m modes) ByName(ctx context.Context, workspace core.ID, name string) (core.Mode, error) {
	var row modeRow
	err := m.read(ctx, "mode", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&row).Where("mo.workspace_id = ? AND mo.name = ?", workspace, name).Scan(ctx)
	})
	return row.Mode, err
}

// List implements storage.Modes.
func (m modes) List(ctx context.Context, workspace core.ID) ([]core.Mode, error) {
	rows, err := list[modeRow](ctx, m.session, "workspace_id", string(workspace), "mo.name")
	return each(rows, func(row modeRow) core.Mode { return row.Mode }), err
}

// Update implements storage.Modes.
func (m modes) Update(ctx context.Context, id core.ID, change func(*core.Mode) error) (core.Mode, error) {
	row, err := update(ctx, m.session, "mode", id, func(row *modeRow) error {
		before := row.Mode
		if err := change(&row.Mode); err != nil {
			return err
		}
		row.ID, row.WorkspaceID, row.CreatedAt = before.ID, before.WorkspaceID, before.CreatedAt
		return storage.CheckText(row.Mode)
	})
	return row.Mode, err
}

// Delete implements storage.Modes.
func (m modes) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, m.session, "mode", "modes", id)
}
