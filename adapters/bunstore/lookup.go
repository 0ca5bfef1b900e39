package bunstore

import (
	"context"
	"database/sql"
	"reflect"
	"sync"

	"github.com/uptrace/bun"
)

// lookup is a select of which only values change from call to call, so that it
// can be kept compiled.
type lookup struct {
	// key tells the lookup from all others.
	key any
	// query writes value(i) where the i-th value stands.
	query func(db bun.IDB, value func(i int) any) *bun.SelectQuery
}

// lookups keeps compiled selects: compiling takes a database longer than finding a row
// by its key. PostgreSQL keeps them with its sessions, which the locks of projects need
// as well (see Locks).
type lookups struct {
	db      *bun.DB
	dialect dialect

	mu       sync.RWMutex
	compiled map[any]*sql.Stmt
}

func newLookups(db *bun.DB, dialect dialect) *lookups {
	return &lookups{db: db, dialect: dialect, compiled: map[any]*sql.Stmt{}}
}

// scan reads all rows that the lookup finds into a slice, or one row into anything
// else.
func (l *lookups) scan(ctx context.Context, wanted lookup, into any, values []any) error {
	statement, err := l.statement(ctx, wanted)
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(ctx, values...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if reflect.TypeOf(into).Elem().Kind() == reflect.Slice {
		return l.db.ScanRows(ctx, rows, into)
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	return l.db.ScanRow(ctx, rows, into)
}

// statement returns the compiled form, which many goroutines may use at a time.
func (l *lookups) statement(ctx context.Context, wanted lookup) (*sql.Stmt, error) {
	l.mu.RLock()
	statement, known := l.compiled[wanted.key]
	l.mu.RUnlock()
	if known {
		return statement, nil
	}
	query := wanted.query(l.db, func(i int) any { return bun.Safe(l.dialect.value(i + 1)) })
	statement, err := l.db.DB.PrepareContext(ctx, query.String())
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if first, raced := l.compiled[wanted.key]; raced {
		return first, statement.Close()
	}
	l.compiled[wanted.key] = statement
	return statement, nil
}

func (s *Store) look(ctx context.Context, noun string, wanted lookup, into any, values ...any) error {
	return s.read(ctx, noun, func(ctx context.Context, _ bun.IDB) error {
		return s.lookups.scan(ctx, wanted, into, values)
	})
}

func (t *transaction) look(ctx context.Context, noun string, wanted lookup, into any, values ...any) error {
	return t.read(ctx, noun, func(ctx context.Context, db bun.IDB) error { return wanted.once(ctx, db, into, values) })
}

// once runs the lookup without keeping it.
func (l lookup) once(ctx context.Context, db bun.IDB, into any, values []any) error {
	return l.query(db, func(i int) any { return values[i] }).Scan(ctx, into)
}
