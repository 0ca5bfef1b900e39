package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/migrate"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/migrations"
)

const (
	// maxPostgresConns is the size of the connection pool. The locks have a pool of their
	// own. PostgreSQL accepts 100 connections by default, which several processes share.
	maxPostgresConns = 16
	// maxIdleTime is after how long an unused connection is closed.
	maxIdleTime = 5 * time.Minute
	// maxIdleTx is how long a process may be idle in a transaction before the server
	// rolls it back and releases its row locks. It is shorter than a room's claim (9
	// seconds): when the claim has lapsed, others must be able to take the room.
	maxIdleTx = 8 * time.Second
)

func openPostgres(url string) (*Store, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "the database's address is not valid")
	}
	tune(config)
	preset(config, "idle_in_transaction_session_timeout", strconv.FormatInt(maxIdleTx.Milliseconds(), 10))
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(maxPostgresConns)
	pool.SetMaxIdleConns(maxPostgresConns)
	pool.SetConnMaxIdleTime(maxIdleTime)
	db := bun.NewDB(pool, arguments{pgdialect.New()})
	return &Store{writer: db, reader: db, lookups: postgresLookups{db}, dialect: postgresDialect{}}, nil
}

// tune sets what all connections to PostgreSQL have in common.
func tune(config *pgx.ConnConfig) {
	// bun writes the arguments into the statement, so a cache of prepared statements
	// would never hit. Only lookups use one (postgresLookups).
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	preset(config, "application_name", "atelier")
}

// preset sets a session parameter that the database's address does not set.
func preset(config *pgx.ConnConfig, name, value string) {
	if config.RuntimeParams[name] == "" {
		config.RuntimeParams[name] = value
	}
}

type postgresDialect struct{}

// classify maps SQLSTATE codes (PostgreSQL's manual, appendix A).
func (postgresDialect) classify(err error) failure {
	var known *pgconn.PgError
	if !errors.As(err, &known) {
		return failure{}
	}
	switch known.Code {
	case "40001", "40P01":
		return failure{kind: failureRetry}
	case "23505":
		if known.ConstraintName == platformDefaultKey {
			return failure{kind: failureRetry}
		}
		return failure{failureUnique, known.ConstraintName}
	case "23502", "23503":
		return failure{kind: failureParent}
	case "42P01":
		return failure{kind: failureNoTable}
	}
	return failure{}
}

func (postgresDialect) isolation() sql.IsolationLevel { return sql.LevelSerializable }

// lock lets other rows still refer to the row, because its key does not change.
func (postgresDialect) lock(query *bun.SelectQuery) *bun.SelectQuery {
	return query.For("NO KEY UPDATE")
}

func (postgresDialect) keep(query *bun.SelectQuery) *bun.SelectQuery { return query.For("KEY SHARE") }

func (postgresDialect) ping() string { return "SELECT 1" }

// probe does not wait for the server's disk.
func (postgresDialect) probe(ctx context.Context, tx bun.Tx) error {
	if _, err := tx.ExecContext(ctx, "SET LOCAL synchronous_commit = off"); err != nil {
		return err
	}
	return writeProbe(ctx, tx)
}

func (postgresDialect) elements() string {
	return "json_array_elements_text(?::json) AS element (value)"
}

func (postgresDialect) find(text, part string) string { return "strpos(" + text + ", " + part + ")" }

func (postgresDialect) value(i int) string { return "$" + strconv.Itoa(i) }

func (postgresDialect) skipLocked() string { return " FOR UPDATE SKIP LOCKED" }

func (postgresDialect) sealedColumns() string {
	return `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
		WHERE table_schema = current_schema() AND column_name LIKE 'sealed%'`
}

func (postgresDialect) migrations() (*migrate.Migrations, error) { return migrations.Postgres() }

// lockSchema takes an advisory lock, which the server releases when the connection ends.
func (postgresDialect) lockSchema(ctx context.Context, db *bun.DB) (unlock func(), err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	const key = "hashtextextended('atelier migrations in ' || current_schema(), 0)"
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock("+key+")"); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return func() {
		release, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_, _ = conn.ExecContext(release, "SELECT pg_advisory_unlock("+key+")")
		_ = conn.Close()
	}, nil
}
