package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
)

type thumbnailRow struct {
	bun.BaseModel `bun:"table:thumbnails,alias:th"`
	ProjectID     core.ID
	PNG           []byte `bun:"png"`
	TakenAt       core.Time
}

type thumbnails struct{ session }

// Put implements storage.Thumbnails.
func (t thumbnails) Put(ctx context.Context, thumbnail core.Thumbnail) error {
	return t.exec(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewInsert().
			Model(&thumbnailRow{ProjectID: thumbnail.ProjectID, PNG: thumbnail.PNG, TakenAt: thumbnail.TakenAt}).
			On("CONFLICT (project_id) DO UPDATE").
			Set("png = EXCLUDED.png").Set("taken_at = EXCLUDED.taken_at").
			Exec(ctx)
		return err
	})
}

// ByProject implements storage.Thumbnails.
func (t thumbnails) ByProject(ctx context.Context, project core.ID) (core.Thumbnail, error) {
	row, err := find[thumbnailRow](ctx, t.session, "thumbnail", "project_id", string(project))
	return core.Thumbnail{ProjectID: row.ProjectID, PNG: row.PNG, TakenAt: row.TakenAt}, err
}
