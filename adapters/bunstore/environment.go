package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type variableRow struct {
	bun.BaseModel `bun:"table:variables,alias:va"`
	core.Variable
}

func (v variableRow) variable() core.Variable { return v.Variable }

type environment struct{ session }

// Put implements storage.Environment.
func (e environment) Put(ctx context.Context, variable core.Variable) (core.Variable, error) {
	if err := storage.CheckText(variable); err != nil {
		return core.Variable{}, err
	}
	var stored variableRow
	err := e.exec(ctx, "variable", func(ctx context.Context, db bun.IDB) error {
		stored = variableRow{}
		return db.NewInsert().Model(&variableRow{Variable: variable}).
			On("CONFLICT (project_id, key) DO UPDATE").
			Set("sealed_value = EXCLUDED.sealed_value").Set("updated_at = EXCLUDED.updated_at").
			Returning("*").
			Scan(ctx, &stored)
	})
	if err != nil {
		return core.Variable{}, err
	}
	return stored.Variable, nil
}

// ByKey implements storage.Environment.
func (e environment) ByKey(ctx context.Context, project core.ID, key string) (core.Variable, error) {
	var row variableRow
	err := e.read(ctx, "variable", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&row).Where("va.project_id = ? AND va.key = ?", project, key).Scan(ctx)
	})
	if err != nil {
		return core.Variable{}, err
	}
	return row.Variable, nil
}

// List implements storage.Environment.
func (e environment) List(ctx context.Context, project core.ID) ([]core.Variable, error) {
	rows, err := list[variableRow](ctx, e.session, "project_id", string(project), "va.key")
	return each(rows, variableRow.variable), err
}

// Delete implements storage.Environment.
func (e environment) Delete(ctx context.Context, project core.ID, key string) error {
	return e.exec(ctx, "variable", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewDelete().Table("variables").Where("project_id = ? AND key = ?", project, key).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "variable")
	})
}
