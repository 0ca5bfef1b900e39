package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

// preparedLookups runs lookups on SQLite by the prepared statements of database/sql.
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
	return scanRows(ctx, p.db, rows, into)
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

// postgresLookups runs lookups on PostgreSQL with pgx's cache of prepared statements, which every
// connection has.
type postgresLookups struct{ db *bun.DB }

func (p postgresLookups) scan(ctx context.Context, wanted lookup, into any, values []string) error {
	arguments := append([]any{pgx.QueryExecModeCacheStatement}, each(values, argument)...)
	rows, err := p.db.DB.QueryContext(ctx, wanted.text(p.db, postgresDialect{}), arguments...)
	if isStale(err) {
		return wanted.once(ctx, p.db, into, values)
	}
	if err != nil {
		return err
	}
	return scanRows(ctx, p.db, rows, into)
}

// isStale reports that the schema has changed since the statement was prepared
// (feature_not_supported), as it does when a process of the next version migrates. pgx then
// prepares it again on its next use.
func isStale(err error) bool {
	var known *pgconn.PgError
	return errors.As(err, &known) && known.Code == "0A000"
}
