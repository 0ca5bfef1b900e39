package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type commandRow struct {
	bun.BaseModel `bun:"table:commands,alias:cd"`
	core.Command
}

type commands struct{ session }

// Create implements storage.Commands.
func (c commands) Create(ctx context.Context, command core.Command) error {
	if err := storage.CheckText(command); err != nil {
		return err
	}
	return insert(ctx, c.session, "command", &commandRow{Command: command})
}

// ByName implements storage.Commands.
func (c commands) ByName(ctx context.Context, workspace core.ID, name string) (core.Command, error) {
	var row commandRow
	err := c.read(ctx, "command", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&row).Where("cd.workspace_id = ? AND cd.name = ?", workspace, name).Scan(ctx)
	})
	return row.Command, err
}

// List implements storage.Commands.
func (c commands) List(ctx context.Context, workspace core.ID) ([]core.Command, error) {
	rows, err := list[commandRow](ctx, c.session, "workspace_id", string(workspace), "cd.name")
	return each(rows, func(row commandRow) core.Command { return row.Command }), err
}

// Update implements storage.Commands.
func (c commands) Update(ctx context.Context, id core.ID, change func(*core.Command) error) (core.Command, error) {
	row, err := update(ctx, c.session, "command", id, func(row *commandRow) error {
		before := row.Command
		if err := change(&row.Command); err != nil {
			return err
		}
		row.ID, row.WorkspaceID, row.CreatedAt = before.ID, before.WorkspaceID, before.CreatedAt
		return storage.CheckText(row.Command)
	})
	return row.Command, err
}

// Delete implements storage.Commands.
func (c commands) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, c.session, "command", "commands", id)
}
