package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// backendCallRow keeps Console as JSON.
type backendCallRow struct {
	bun.BaseModel `bun:"table:backend_calls,alias:bc"`
	core.BackendCall
}

func (r backendCallRow) call() core.BackendCall { return r.BackendCall }

type backendCalls struct{ session }

// Append implements storage.BackendCalls.
func (c backendCalls) Append(ctx context.Context, calls []core.BackendCall) error {
	for _, call := range calls {
		if err := storage.CheckText(call); err != nil {
			return err
		}
	}
	return c.write(ctx, "call", func(ctx context.Context, db bun.IDB) error {
		there, err := c.projectsOf(ctx, db, calls)
		if err != nil {
			return err
		}
		var rows []backendCallRow
		for _, call := range calls {
			if there[call.ProjectID] {
				rows = append(rows, backendCallRow{BackendCall: call})
			}
		}
		if len(rows) == 0 {
			return nil
		}
		if _, err := db.NewInsert().Model(&rows).On("CONFLICT (id) DO NOTHING").Exec(ctx); err != nil {
			return err
		}
		return trimCalls(ctx, db, rows)
	})
}

// projectsOf returns the existing ones of the calls' projects. They cannot be deleted until the
// transaction ends.
func (c backendCalls) projectsOf(ctx context.Context, db bun.IDB, calls []core.BackendCall) (map[core.ID]bool, error) {
	var found []core.ID
	err := c.speaks().keep(db.NewSelect().Table("projects").Column("id").
		Where("id IN (?)", bun.List(each(calls, func(call core.BackendCall) core.ID { return call.ProjectID })))).
		Scan(ctx, &found)
	there := make(map[core.ID]bool, len(found))
	for _, id := range found {
		there[id] = true
	}
	return there, err
}

// callList is one list of calls that is bounded by itself.
type callList struct {
	project core.ID
	env     core.DataEnv
	kind    core.CallKind
}

// trimCalls removes what the lists of new rows have too many of.
func trimCalls(ctx context.Context, db bun.IDB, rows []backendCallRow) error {
	done := map[callList]bool{}
	for _, row := range rows {
		in := callList{row.ProjectID, row.Env, row.Kind}
		if done[in] {
			continue
		}
		done[in] = true
		newest := db.NewSelect().Table("backend_calls").Column("created_at", "id").
			Where("project_id = ? AND env = ? AND kind = ?", in.project, in.env, in.kind).
			OrderExpr("created_at DESC, id DESC").Offset(core.MaxBackendCalls).Limit(1)
		_, err := db.NewDelete().Table("backend_calls").
			Where("project_id = ? AND env = ? AND kind = ? AND (created_at, id) <= (?)", in.project, in.env, in.kind, newest).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// List implements storage.BackendCalls.
func (c backendCalls) List(ctx context.Context, project core.ID, env core.DataEnv, filter storage.CallFilter, page core.Page) ([]core.BackendCall, error) {
	if page.Limit < 1 || page.Before != nil && storage.CheckText(*page.Before) != nil {
		return nil, nil
	}
	var rows []backendCallRow
	err := c.read(ctx, "call", func(ctx context.Context, db bun.IDB) error {
		query := db.NewSelect().Model(&rows).Where("bc.project_id = ? AND bc.env = ?", project, env)
		if filter.Kind != "" {
			query = query.Where("bc.kind = ?", filter.Kind)
		}
		if filter.Failed {
			query = query.Where("bc.status >= ?", core.MinErrorStatus)
		}
		if page.Before != nil {
			query = query.Where("(bc.created_at, bc.id) < (?, ?)", page.Before.CreatedAt, page.Before.ID)
		}
		return query.OrderExpr("bc.created_at DESC, bc.id DESC").Limit(int64(page.Limit)).Scan(ctx)
	})
	return each(rows, backendCallRow.call), err
}

// Prune implements storage.BackendCalls.
func (c backendCalls) Prune(ctx context.Context, before core.Time) error {
	return c.exec(ctx, "call", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewDelete().Table("backend_calls").Where("created_at < ?", before).Exec(ctx)
		return err
	})
}
