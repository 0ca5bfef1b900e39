package bunstore

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun/migrate"

	"github.com/atelierhq/atelier/core"
)

// dumpIndex is the file of a dump that says what the others hold.
const dumpIndex = "dump.json"

// dump describes a dump.
type dump struct {
	// Migrations are the numbers of those that made the schema, in order.
	Migrations []string `json:"migrations"`
	// Tables are in an order in which each comes after those that it refers to.
	Tables []dumpTable `json:"tables"`
}

// dumpTable is a table whose rows are in the file <Name>.copy, in the text format of COPY.
type dumpTable struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

func (t dumpTable) file(dir string) string { return filepath.Join(dir, t.Name+".copy") }

// copies is the table with its columns, for COPY.
func (t dumpTable) copies() string {
	columns := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		columns[i] = pgx.Identifier{column}.Sanitize()
	}
	return "COPY " + pgx.Identifier{t.Name}.Sanitize() + " (" + strings.Join(columns, ", ") + ")"
}

// The statements that describe the schema. A table comes after those that it refers to; none refers
// to others in a circle.
const (
	dumpedTables = `SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum) FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		AND c.relname <> $1 AND c.relname <> $1 || '_locks' GROUP BY c.relname ORDER BY c.relname`
	dumpedReferences = `SELECT DISTINCT r.relname, p.relname FROM pg_constraint AS k JOIN pg_class AS r ON r.oid = k.conrelid JOIN pg_class AS p ON p.oid = k.confrelid
		WHERE k.contype = 'f' AND r.relnamespace = current_schema()::regnamespace AND r.oid <> p.oid`
	dumpedMigrations = `SELECT name FROM ` + migrationsTable + ` ORDER BY name`
)

// DumpPostgres writes the rows of all tables, as of one moment, into a new folder. Other connections
// may read and write meanwhile. It returns core.CodeUnavailable if the database or the disk fails.
func DumpPostgres(ctx context.Context, url, dir string) error {
	conn, err := connectForDump(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the copy of the database has no place")
	}
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		described, err := describe(ctx, tx)
		if err != nil {
			return err
		}
		for _, table := range described.Tables {
			if err := dumpRows(ctx, conn, table, dir); err != nil {
				return err
			}
		}
		content, err := json.Marshal(described)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, dumpIndex), content, 0o600)
	})
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database cannot be copied")
	}
	return nil
}

// connectForDump connects without the limits of calls, because a dump of much data takes long.
func connectForDump(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "the database's address is not valid")
	}
	tune(config)
	for _, unbounded := range []string{"statement_timeout", "idle_in_transaction_session_timeout", "transaction_timeout"} {
		delete(config.RuntimeParams, unbounded)
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the database cannot be reached")
	}
	return conn, nil
}

func describe(ctx context.Context, tx pgx.Tx) (dump, error) {
	var described dump
	rows, err := tx.Query(ctx, dumpedMigrations)
	if err == nil {
		described.Migrations, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		return dump{}, err
	}
	rows, err = tx.Query(ctx, dumpedTables, migrationsTable)
	if err != nil {
		return dump{}, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[dumpTable])
	if err != nil {
		return dump{}, err
	}
	parents, err := references(ctx, tx)
	if err != nil {
		return dump{}, err
	}
	described.Tables, err = parentsFirst(tables, parents)
	return described, err
}

// references returns the tables that each table refers to.
func references(ctx context.Context, tx pgx.Tx) (map[string][]string, error) {
	rows, err := tx.Query(ctx, dumpedReferences)
	if err != nil {
		return nil, err
	}
	parents := map[string][]string{}
	var from, to string
	_, err = pgx.ForEachRow(rows, []any{&from, &to}, func() error {
		parents[from] = append(parents[from], to)
		return nil
	})
	return parents, err
}

// parentsFirst puts each table behind those that it refers to.
func parentsFirst(tables []dumpTable, parents map[string][]string) ([]dumpTable, error) {
	var sorted []dumpTable
	placed := map[string]bool{}
	for len(sorted) < len(tables) {
		before := len(sorted)
		for _, table := range tables {
			waits := slices.ContainsFunc(parents[table.Name], func(parent string) bool { return !placed[parent] })
			if !placed[table.Name] && !waits {
				placed[table.Name], sorted = true, append(sorted, table)
			}
		}
		if len(sorted) == before {
			return nil, core.Errorf(core.CodeInternal, "tables of the database refer to each other in a circle")
		}
	}
	return sorted, nil
}

func dumpRows(ctx context.Context, conn *pgx.Conn, table dumpTable, dir string) error {
	file, err := os.OpenFile(table.file(dir), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 1<<20)
	_, err = conn.PgConn().CopyTo(ctx, buffered, table.copies()+" TO STDOUT")
	return errors.Join(err, buffered.Flush(), file.Close())
}

// readDump reads a dump's description. A dump that a newer program made has code core.CodeConflict.
func readDump(dir string) (dump, error) {
	content, err := os.ReadFile(filepath.Join(dir, dumpIndex))
	var described dump
	if err == nil {
		err = json.Unmarshal(content, &described)
	}
	if err != nil {
		return dump{}, core.Wrap(core.CodeConflict, err, "the copy of the database is damaged: it has no description")
	}
	for _, table := range described.Tables {
		if _, err := os.Stat(table.file(dir)); errors.Is(err, fs.ErrNotExist) {
			return dump{}, core.Errorf(core.CodeConflict, "the copy of the database is damaged: the table %q is missing", table.Name)
		}
	}
	return described, nil
}

// LoadPostgres fills an empty database with what DumpPostgres wrote into dir: it brings the schema to
// that of the dump, and puts in all rows in one transaction. It calls then before that transaction
// ends, and keeps nothing if then fails.
//
// It returns core.CodeConflict for a database that holds anything or has a newer schema, and for a dump
// that is damaged or of a newer program.
func LoadPostgres(ctx context.Context, url, dir string, then func() error) error {
	described, err := readDump(dir)
	if err != nil {
		return err
	}
	if err := migrateTo(ctx, url, described.Migrations); err != nil {
		return err
	}
	conn, err := connectForDump(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := checkUnused(ctx, tx); err != nil {
			return err
		}
		for _, table := range described.Tables {
			if err := loadRows(ctx, tx, table, dir); err != nil {
				return core.Wrap(core.CodeConflict, err, "the table %q could not be restored", table.Name)
			}
		}
		return then()
	})
}

// CheckPostgresEmpty returns core.CodeConflict for a database that LoadPostgres would refuse because
// people have accounts in it.
func CheckPostgresEmpty(ctx context.Context, url string) error {
	conn, err := connectForDump(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var migrated bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('users') IS NOT NULL").Scan(&migrated); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database cannot be read")
	}
	if !migrated {
		return nil
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return checkUnused(ctx, tx) })
}

// checkUnused refuses a database with accounts.
func checkUnused(ctx context.Context, tx pgx.Tx) error {
	var used bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM users)").Scan(&used); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database cannot be read")
	}
	if used {
		return core.Errorf(core.CodeConflict, "the database of DATABASE_URL holds an installation: restore into an empty one")
	}
	return nil
}

// loadRows replaces what migrations put into a table by the rows of the dump.
func loadRows(ctx context.Context, tx pgx.Tx, table dumpTable, dir string) error {
	file, err := os.Open(table.file(dir))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if _, err := tx.Exec(ctx, "DELETE FROM "+pgx.Identifier{table.Name}.Sanitize()); err != nil {
		return err
	}
	_, err = tx.Conn().PgConn().CopyFrom(ctx, bufio.NewReaderSize(file, 1<<20), table.copies()+" FROM STDIN")
	return err
}

// migrateTo runs exactly the migrations that are wanted.
func migrateTo(ctx context.Context, url string, wanted []string) error {
	store, err := Open(ctx, url)
	if err != nil {
		return err
	}
	defer store.Close()
	all, err := store.dialect.migrations()
	if err != nil {
		return core.Wrap(core.CodeInternal, err, "the migrations cannot be read")
	}
	subset, known := migrate.NewMigrations(), map[string]bool{}
	for _, migration := range all.Sorted() {
		if known[migration.Name] = true; slices.Contains(wanted, migration.Name) {
			subset.Add(migration)
		}
	}
	for _, name := range wanted {
		if !known[name] {
			return core.Errorf(core.CodeConflict, "this program is older than the archive, whose database has the unknown migration %s: restore it with the newer atelier", name)
		}
	}
	migrator := migrate.NewMigrator(store.writer, subset, migratorOptions()...)
	if err := migrator.Init(ctx); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database cannot be prepared")
	}
	applied, err := migrator.AppliedMigrations(ctx)
	if err != nil {
		return store.translate(err, "migration")
	}
	for _, migration := range applied {
		if !slices.Contains(wanted, migration.Name) {
			return core.Errorf(core.CodeConflict, "the database of DATABASE_URL already has a newer schema than the archive: restore into an empty one")
		}
	}
	if _, err := migrator.Migrate(ctx); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "a migration of the database failed")
	}
	return nil
}
