package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type previewLinkRow struct {
	bun.BaseModel `bun:"table:preview_links,alias:pl"`
	core.PreviewLink
}

func (r previewLinkRow) link() core.PreviewLink { return r.PreviewLink }

type previewLinks struct{ session }

// Create implements storage.PreviewLinks.
func (p previewLinks) Create(ctx context.Context, link core.PreviewLink) error {
	if err := storage.CheckText(link); err != nil {
		return err
	}
	return p.exec(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewInsert().Model(&previewLinkRow{PreviewLink: link}).Exec(ctx)
		return err
	})
}

// ByID implements storage.PreviewLinks.
func (p previewLinks) ByID(ctx context.Context, id core.ID) (core.PreviewLink, error) {
	row, err := find[previewLinkRow](ctx, p.session, "preview link", "id", string(id))
	return row.PreviewLink, err
}

// List implements storage.PreviewLinks.
func (p previewLinks) List(ctx context.Context, project core.ID) ([]core.PreviewLink, error) {
	rows, err := list[previewLinkRow](ctx, p.session, "project_id", string(project), "pl.created_at DESC, pl.id DESC")
	return each(rows, previewLinkRow.link), err
}

// Extend implements storage.PreviewLinks.
func (p previewLinks) Extend(ctx context.Context, id core.ID, until core.Time) error {
	return p.exec(ctx, "preview link", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewUpdate().Table("preview_links").Set("expires_at = ?", until).Where("id = ?", id).Exec(ctx)
		return err
	})
}

// Delete implements storage.PreviewLinks.
func (p previewLinks) Delete(ctx context.Context, id core.ID) error {
	return p.exec(ctx, "preview link", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewDelete().Table("preview_links").Where("id = ?", id).Exec(ctx)
		return err
	})
}

// DeleteOf implements storage.PreviewLinks.
func (p previewLinks) DeleteOf(ctx context.Context, workspace, maker core.ID) (int, error) {
	var deleted int64
	err := p.exec(ctx, "preview link", func(ctx context.Context, db bun.IDB) error {
		theirs := db.NewSelect().Table("projects").Column("id").Where("workspace_id = ?", workspace)
		result, err := db.NewDelete().Table("preview_links").Where("created_by = ?", maker).Where("project_id IN (?)", theirs).Exec(ctx)
		if err == nil {
			deleted, err = result.RowsAffected()
		}
		return err
	})
	return int(deleted), err
}
