package bunstore

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
)

// Rows embed their records. For a *core.Time of the record, the row has an *int64 of the
// same name, which bun stores as a number. bun would store a *core.Time as JSON.

// insert stores a row whose texts have been checked.
func insert[R any](ctx context.Context, in session, noun string, row *R) error {
	return in.exec(ctx, noun, func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewInsert().Model(row).Exec(ctx)
		return err
	})
}

// byColumn is the key of find's lookups.
type byColumn struct {
	row    reflect.Type
	column string
}

// find returns the only row whose column has the value.
func find[R any](ctx context.Context, in session, noun, column, value string) (row R, err error) {
	err = in.look(ctx, noun, lookup{byColumn{reflect.TypeFor[R](), column}, func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Model((*R)(nil)).Where("?TableAlias.? = ?", bun.Ident(column), value(0))
	}}, &row, value)
	return row, err
}

// list returns the rows whose column has the value, in order.
func list[R any](ctx context.Context, in session, column, value, order string) (rows []R, err error) {
	err = in.read(ctx, "record", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).Where("?TableAlias.? = ?", bun.Ident(column), value).OrderExpr(order).Scan(ctx)
	})
	return rows, err
}

// update changes the row with the id while it is locked.
func update[R any](ctx context.Context, in session, noun string, id core.ID, change func(*R) error) (R, error) {
	var row, none R
	err := in.write(ctx, noun, func(ctx context.Context, db bun.IDB) error {
		row = none
		if err := lockRow(ctx, in, db, &row, id); err != nil {
			return err
		}
		if err := change(&row); err != nil {
			return refusal{err}
		}
		return replace(ctx, db, &row, id)
	})
	if err != nil {
		return none, err
	}
	return row, nil
}

func lockRow(ctx context.Context, in session, db bun.IDB, row any, id core.ID) error {
	return in.lock(db.NewSelect().Model(row).Where("?TableAlias.id = ?", id)).Scan(ctx)
}

func replace(ctx context.Context, db bun.IDB, row any, id core.ID) error {
	_, err := db.NewUpdate().Model(row).Where("id = ?", id).Exec(ctx)
	return err
}

// remove deletes the row with the id and, by the schema, its dependent rows.
func remove(ctx context.Context, in session, noun, table string, id core.ID) error {
	return in.exec(ctx, noun, func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewDelete().Table(table).Where("id = ?", id).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, noun)
	})
}

// schedule is a table whose rows are due at a time.
type schedule struct {
	noun, table, column string
	// where excludes rows that are never due; set changes more of a claimed row. Both may be "".
	where, set string
}

// claim reads into row the one that has been due for longest, and makes it due again at until. If
// nothing is due the code is core.CodeNotFound. Of several callers one gets the row.
func (s schedule) claim(ctx context.Context, in session, row any, now, until core.Time) error {
	return in.exec(ctx, s.noun, func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("UPDATE "+s.table+" SET "+s.column+" = ?"+s.set+" WHERE id = ("+
			"SELECT id FROM "+s.table+" WHERE "+s.where+s.column+" <= ? ORDER BY "+s.column+", id LIMIT 1"+
			in.speaks().skipLocked()+") RETURNING *", until, now).Scan(ctx, row)
	})
}

// removeWhere deletes all rows that match.
func removeWhere(ctx context.Context, in session, table, where string, args ...any) error {
	return in.exec(ctx, "record", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewDelete().Table(table).Where(where, args...).Exec(ctx)
		return err
	})
}

// oneRow returns core.CodeNotFound if a statement matched no row.
func oneRow(result interface{ RowsAffected() (int64, error) }, noun string) error {
	count, err := result.RowsAffected()
	if err == nil && count == 0 {
		return core.NotFound(noun)
	}
	return err
}

// each converts rows to records.
func each[R, V any](rows []R, convert func(R) V) []V {
	records := make([]V, len(rows))
	for i, row := range rows {
		records[i] = convert(row)
	}
	return records
}

// jsonOf returns texts as a JSON array, so that any number of them is one argument of a
// statement.
func jsonOf(texts []string) string {
	if len(texts) == 0 {
		return "[]"
	}
	// A slice of strings always marshals.
	body, _ := json.Marshal(texts)
	return string(body)
}
