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

func (f folders) Create(ctx context.Context, folder core.Folder) error {
	if err := storage.CheckText(folder); err != nil {
		return err
	}
	return insert(ctx, f.session, "folder", &folderRow{Folder: folder})
}

func (f folders) ByID(ctx context.Context, id core.ID) (core.Folder, error) {
	row, err := find[folderRow](ctx, f.session, "folder", "id", string(id))
	return row.Folder, err
}

func (f folders) List(ctx context.Context, workspace core.ID) ([]core.Folder, error) {
	rows, err := list[folderRow](ctx, f.session, "workspace_id", string(workspace), "f.name, f.id")
	return each(rows, func(row folderRow) core.Folder { return row.Folder }), err
}
