package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type checkOutcomeRow struct {
	bun.BaseModel `bun:"table:check_outcomes,alias:co"`
	core.CheckOutcome
}

func (r checkOutcomeRow) outcome() core.CheckOutcome { return r.CheckOutcome }

type checkPictureRow struct {
	bun.BaseModel `bun:"table:check_pictures,alias:cp"`
	ProjectID     core.ID
	Name          string
	PNG           []byte `bun:"png"`
}

type checkOutcomes struct{ session }

// Put implements storage.CheckOutcomes.
func (c checkOutcomes) Put(ctx context.Context, outcome core.CheckOutcome, picture []byte) error {
	if err := storage.CheckText(outcome); err != nil {
		return err
	}
	if picture == nil {
		outcome.PicturedAt = 0
	}
	return c.write(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		query := db.NewInsert().Model(&checkOutcomeRow{CheckOutcome: outcome}).On("CONFLICT (project_id, name) DO UPDATE")
		for _, column := range []string{"passed", "step", "message", "millis", "played_at"} {
			query = query.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
		}
		if picture != nil {
			query = query.Set("pictured_at = EXCLUDED.pictured_at")
		}
		if _, err := query.Exec(ctx); err != nil || picture == nil {
			return err
		}
		_, err := db.NewInsert().Model(&checkPictureRow{ProjectID: outcome.ProjectID, Name: outcome.Name, PNG: picture}).
			On("CONFLICT (project_id, name) DO UPDATE").Set("png = EXCLUDED.png").Exec(ctx)
		return err
	})
}

// List implements storage.CheckOutcomes.
func (c checkOutcomes) List(ctx context.Context, project core.ID) ([]core.CheckOutcome, error) {
	rows, err := list[checkOutcomeRow](ctx, c.session, "project_id", string(project), "co.name")
	return each(rows, checkOutcomeRow.outcome), err
}

// Picture implements storage.CheckOutcomes.
func (c checkOutcomes) Picture(ctx context.Context, project core.ID, name string) ([]byte, error) {
	var row checkPictureRow
	err := c.read(ctx, "picture", func(ctx context.Context, db bun.IDB) error {
		row = checkPictureRow{}
		return db.NewSelect().Model(&row).Where("cp.project_id = ? AND cp.name = ?", project, name).Scan(ctx)
	})
	return row.PNG, err
}

// Keep implements storage.CheckOutcomes.
func (c checkOutcomes) Keep(ctx context.Context, project core.ID, names []string) error {
	return c.write(ctx, "check", func(ctx context.Context, db bun.IDB) error {
		query := db.NewDelete().Table("check_outcomes").Where("project_id = ?", project)
		if len(names) > 0 {
			query = query.Where("name NOT IN ?", bun.Tuple(names))
		}
		_, err := query.Exec(ctx)
		return err
	})
}
