package bunstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type slugHolds struct{ session }

// Hold implements storage.SlugHolds.
func (h slugHolds) Hold(ctx context.Context, slug string, workspace core.ID, until core.Time) error {
	if !storage.Storable(slug) || !storage.Storable(string(workspace)) {
		return core.Errorf(core.CodeValidationFailed, "the hold of a slug must be text")
	}
	return h.exec(ctx, "hold", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewRaw("INSERT INTO slug_holds (slug, workspace_id, held_until) VALUES (?, ?, ?)"+
			" ON CONFLICT (slug) DO UPDATE SET workspace_id = EXCLUDED.workspace_id, held_until = EXCLUDED.held_until", slug, workspace, until).Exec(ctx)
		return err
	})
}

// Holder implements storage.SlugHolds.
func (h slugHolds) Holder(ctx context.Context, slug string, now core.Time) (workspace core.ID, err error) {
	err = h.exec(ctx, "hold", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Table("slug_holds").Column("workspace_id").Where("slug = ? AND held_until >= ?", slug, now).Scan(ctx, &workspace)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return "", core.NotFound("hold")
	}
	return workspace, err
}
