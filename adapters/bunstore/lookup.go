package bunstore

import (
	"context"
	"database/sql"
	"reflect"

	"github.com/uptrace/bun"
)

// lookup is a select whose text stays the same from call to call, so that it can be
// prepared.
type lookup struct {
	// key identifies the lookup.
	key any
	// query builds the statement, with value(i) as the placeholder of the i-th value.
	query func(db bun.IDB, value func(i int) any) *bun.SelectQuery
}

// lookups runs lookups outside of transactions as prepared statements: compiling a
// statement takes a database longer than finding a row by its key.
type lookups interface {
	// scan reads all rows of the lookup into a slice, or the first row into anything
	// else. Without a row that returns sql.ErrNoRows.
	scan(ctx context.Context, wanted lookup, into any, values []string) error
}

// text returns the lookup's statement with placeholders for the values.
func (l lookup) text(db *bun.DB, dialect dialect) string {
	return l.query(db, func(i int) any { return bun.Safe(dialect.value(i + 1)) }).String()
}

func (s *Store) look(ctx context.Context, noun string, wanted lookup, into any, values ...string) error {
	return s.read(ctx, noun, func(ctx context.Context, _ bun.IDB) error {
		return s.lookups.scan(ctx, wanted, into, values)
	})
}

func (t *transaction) look(ctx context.Context, noun string, wanted lookup, into any, values ...string) error {
	return t.read(ctx, noun, func(ctx context.Context, db bun.IDB) error { return wanted.once(ctx, db, into, values) })
}

// once runs the lookup without preparing it.
func (l lookup) once(ctx context.Context, db bun.IDB, into any, values []string) error {
	return l.query(db, func(i int) any { return values[i] }).Scan(ctx, into)
}

// scanRows is lookups.scan of a result, which it closes.
func scanRows(ctx context.Context, db *bun.DB, rows *sql.Rows, into any) error {
	defer rows.Close()
	if reflect.TypeOf(into).Elem().Kind() == reflect.Slice {
		return db.ScanRows(ctx, rows, into)
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	return db.ScanRow(ctx, rows, into)
}
