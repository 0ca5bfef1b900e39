package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/migrate"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/migrations"
)

// openSQLite opens the file at path. Acknowledged changes survive a power cut: the writer
// syncs the log at every commit.
func openSQLite(path string) (*Store, error) {
	if path == "" {
		return nil, core.Errorf(core.CodeValidationFailed, "sqlite:// must name the path of a file")
	}
	absolute, err := makeFile(path)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the database file cannot be opened")
	}
	writer, err := sql.Open("sqlite", sqliteDSN(absolute, url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)"},
	}))
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the database file cannot be opened")
	}
	writer.SetMaxOpenConns(1)
	reader, err := sql.Open("sqlite", sqliteDSN(absolute, url.Values{
		"_pragma": {"busy_timeout(10000)", "query_only(1)"},
	}))
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the database file cannot be opened")
	}
	readers := max(4, runtime.NumCPU())
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	pool, dialect := bun.NewDB(reader, arguments{sqlitedialect.New()}), sqliteDialect{absolute}
	return &Store{
		writer:  bun.NewDB(writer, arguments{sqlitedialect.New()}),
		reader:  pool,
		lookups: newPreparedLookups(pool, dialect),
		dialect: dialect,
	}, nil
}

// makeFile durably creates the file and its folder, readable only for this user. SQLite
// gives the log and the index beside it the same mode. The file gets its name only after
// its descriptor is closed, because closing one drops the locks that other connections of
// the process hold.
func makeFile(path string) (absolute string, err error) {
	if absolute, err = filepath.Abs(path); err != nil {
		return "", err
	}
	if _, err := os.Stat(absolute); err == nil {
		return absolute, nil
	}
	folder := filepath.Dir(absolute)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	empty, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(empty.Name())
	if err := empty.Close(); err != nil {
		return "", err
	}
	if err := os.Link(empty.Name(), absolute); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return absolute, syncFolder(folder)
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func sqliteDSN(path string, options url.Values) string {
	return (&url.URL{Scheme: "file", Path: path, RawQuery: options.Encode()}).String()
}

// sqliteDialect knows the path of the file.
type sqliteDialect struct{ path string }

func (sqliteDialect) classify(err error) failure {
	var known *sqlite.Error
	if !errors.As(err, &known) {
		return failure{}
	}
	switch known.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		_, key, _ := strings.Cut(known.Error(), "UNIQUE constraint failed: ")
		key, _, _ = strings.Cut(key, " (")
		return failure{failureUnique, key}
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY, sqlite3.SQLITE_CONSTRAINT_NOTNULL:
		return failure{kind: failureParent}
	case sqlite3.SQLITE_ERROR:
		if strings.Contains(known.Error(), "no such table") {
			return failure{kind: failureNoTable}
		}
	}
	return failure{}
}

// isolation is the driver's only one: the writer's transactions begin by locking the
// file.
func (sqliteDialect) isolation() sql.IsolationLevel { return sql.LevelDefault }

// lock adds nothing: a transaction locks the whole file.
func (sqliteDialect) lock(query *bun.SelectQuery) *bun.SelectQuery { return query }

// keep adds nothing, like lock.
func (sqliteDialect) keep(query *bun.SelectQuery) *bun.SelectQuery { return query }

func (sqliteDialect) ping() string { return "SELECT count(*) FROM sqlite_schema" }

// probe also writes a file beside the database. The log reuses its space, so a change may
// succeed on a disk that is full.
func (d sqliteDialect) probe(ctx context.Context, tx bun.Tx) error {
	const probeBytes = 64 << 10
	file, err := os.CreateTemp(filepath.Dir(d.path), ".probe-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(make([]byte, probeBytes))
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return writeProbe(ctx, tx)
}

func (sqliteDialect) elements() string { return "json_each(?) AS element" }

func (sqliteDialect) find(text, part string) string { return "instr(" + text + ", " + part + ")" }

func (sqliteDialect) value(i int) string { return "?" + strconv.Itoa(i) }

func (sqliteDialect) skipLocked() string { return "" }

func (sqliteDialect) sealedColumns() string {
	return `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
		WHERE m.type = 'table' AND c.name LIKE 'sealed%'`
}

func (sqliteDialect) migrations() (*migrate.Migrations, error) { return migrations.SQLite() }

// lockSchema locks a file beside the database, which the kernel unlocks when the process
// dies.
func (d sqliteDialect) lockSchema(ctx context.Context, _ *bun.DB) (unlock func(), err error) {
	file, err := os.OpenFile(d.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(err, file.Close())
		}
		if err := ctxsync.Sleep(ctx, 20*time.Millisecond); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
}
