package walship_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the database whose log is shipped

	"github.com/atelierhq/atelier/adapters/internal/walship"
)

// database is an open SQLite database with what ships its log.
type database struct {
	*walship.Log
	path string
	db   *sql.DB
}

// newDurable returns a durable directory with an empty table. Pages are small, so that few bytes
// make many of them.
func newDurable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	db := connect(t, filepath.Join(dir, "data.db"))
	exec(t, db, "PRAGMA page_size = 512")
	exec(t, db, "PRAGMA journal_mode = WAL")
	exec(t, db, "CREATE TABLE notes (text TEXT)")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// connect returns a database with one connection, which makes no checkpoint until it is closed.
func connect(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=synchronous(OFF)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func exec(t *testing.T, db *sql.DB, statement string, arguments ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement, arguments...); err != nil {
		t.Fatal(statement, err)
	}
}

// open opens what a durable directory holds, at a place of its own.
func open(t *testing.T, dir string) *database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.db")
	log, err := walship.Open(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return &database{log, path, connect(t, path)}
}

// put commits a note without shipping it.
func (d *database) put(t *testing.T, text string) {
	t.Helper()
	exec(t, d.db, "INSERT INTO notes VALUES (?)", text)
}

// keep commits a note and ships it.
func (d *database) keep(t *testing.T, text string) {
	t.Helper()
	d.put(t, text)
	if err := d.Ship(); err != nil {
		t.Fatal(err)
	}
}

// rotate begins the log anew.
func (d *database) rotate(t *testing.T) {
	t.Helper()
	if err := d.Rotate(d.checkpoint); err != nil {
		t.Fatal(err)
	}
}

func (d *database) checkpoint() error {
	var busy, log, done int
	return d.db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done)
}

// wants checks the first letters of the notes, and that SQLite finds nothing wrong.
func (d *database) wants(t *testing.T, want ...string) {
	t.Helper()
	var verdict string
	if err := d.db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("the integrity check: got %q and %v, want ok", verdict, err)
	}
	rows, err := d.db.QueryContext(t.Context(), "SELECT substr(text, 1, 1) FROM notes ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		got = append(got, text)
	}
	if err := rows.Err(); err != nil || !slices.Equal(got, want) {
		t.Errorf("got the notes %v and %v, want %v", got, err, want)
	}
}

// holds checks what a machine finds that opens a copy of a durable directory.
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	open(t, copied(t, dir)).wants(t, want...)
}

// copied returns a copy of a directory.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// segments returns the names of a directory's segments in their order, of which there are fewer
// than ten.
func segments(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "wal-") {
			names = append(names, entry.Name())
		}
	}
	return names
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func is(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("got the error %v, want %v", got, want)
	}
}
