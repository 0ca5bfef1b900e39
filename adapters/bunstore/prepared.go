package bunstore

import (
	"context"
	"database/sql"
	"reflect"
	"sync"

	"github.com/uptrace/bun"
)

// preparedLookups runs lookups by the prepared statements of database/sql.
type preparedLookups struct {
	db      *bun.DB
	dialect dialect

	mu       sync.RWMutex
	compiled map[any]*sql.Stmt
}

func newPreparedLookups(db *bun.DB, dialect dialect) *preparedLookups {
	return &preparedLookups{db: db, dialect: dialect, compiled: map[any]*sql.Stmt{}}
}

func (p *preparedLookups) scan(ctx context.Context, wanted lookup, into any, values []string) error {
	statement, err := p.statement(ctx, wanted)
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(ctx, each(values, argument)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if reflect.TypeOf(into).Elem().Kind() == reflect.Slice {
		return p.db.ScanRows(ctx, rows, into)
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	return p.db.ScanRow(ctx, rows, into)
}

// statement returns the compiled form, which is safe for concurrent use.
func (p *preparedLookups) statement(ctx context.Context, wanted lookup) (*sql.Stmt, error) {
	p.mu.RLock()
	statement, known := p.compiled[wanted.key]
	p.mu.RUnlock()
	if known {
		return statement, nil
	}
	statement, err := p.db.DB.PrepareContext(ctx, wanted.text(p.db, p.dialect))
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if first, raced := p.compiled[wanted.key]; raced {
		return first, statement.Close()
	}
	p.compiled[wanted.key] = statement
	return statement, nil
}

// close does nothing: the pool closes statements together with their connections.
func (p *preparedLookups) close() {}
