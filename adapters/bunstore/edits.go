package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// editRow holds the columns about edits by hand in the row of a project's files.
type editRow struct {
	bun.BaseModel `bun:"table:file_revisions,alias:fr"`
	ProjectID     core.ID
	EditedAt      core.Time
	EditedBy      string
}

func (r editRow) edit() storage.Edit {
	return storage.Edit{Project: r.ProjectID, At: r.EditedAt, By: r.EditedBy}
}

type edits struct{ session }

// Of implements storage.Edits.
func (e edits) Of(ctx context.Context, project core.ID) (storage.Edit, error) {
	var row editRow
	err := e.read(ctx, "edit", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&row).Where("project_id = ? AND edited_at IS NOT NULL", project).Scan(ctx)
	})
	return row.edit(), err
}

// Due implements storage.Edits.
func (e edits) Due(ctx context.Context, until core.Time, limit int) ([]storage.Edit, error) {
	var rows []editRow
	err := e.read(ctx, "edit", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).Where("edited_at <= ?", int64(until)).Order("edited_at", "project_id").Limit(int64(limit)).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	return each(rows, editRow.edit), nil
}

// Settle implements storage.Edits.
func (e edits) Settle(ctx context.Context, edit storage.Edit) error {
	return e.exec(ctx, "edit", func(ctx context.Context, db bun.IDB) error {
		_, err := db.ExecContext(ctx, "UPDATE file_revisions SET edited_at = NULL, edited_by = '' WHERE project_id = ? AND edited_at = ?", edit.Project, int64(edit.At))
		return err
	})
}
