package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type folderRow struct {
	bun.BaseModel `bun:"table:folders,alias:f"`
	core.Folder
}

type folders struct{ session }

// Create implements storage.Folders.
func (f folders) Create(ctx context.Context, folder core.Folder) error {
	if err := storage.CheckText(folder); err != nil {
		return err
	}
	return insert(ctx, f.session, "folder", &folderRow{Folder: folder})
}

// ByID implements storage.Folders.
func (f folders) ByID(ctx context.Context, id core.ID) (core.Folder, error) {
	row, err := find[folderRow](ctx, f.session, "folder", "id", string(id))
	return row.Folder, err
}

// List implements storage.Folders.
func (f folders) List(ctx context.Context, workspace core.ID) ([]core.Folder, error) {
	rows, err := list[folderRow](ctx, f.session, "workspace_id", string(workspace), "f.name, f.id")
	return each(rows, func(row folderRow) core.Folder { return row.Folder }), err
}

// Update implements storage.Folders.
func (f folders) Update(ctx context.Context, id core.ID, change func(*core.Folder) error) (core.Folder, error) {
	row, err := update(ctx, f.session, "folder", id, func(row *folderRow) error {
		before := row.Folder
		if err := change(&row.Folder); err != nil {
			return err
		}
		row.ID, row.WorkspaceID, row.CreatedAt = before.ID, before.WorkspaceID, before.CreatedAt
		return storage.CheckText(row.Folder)
	})
	return row.Folder, err
}

// Delete leaves the rest to the schema: records of a deleted folder move to the root.
func (f folders) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, f.session, "folder", "folders", id)
}
