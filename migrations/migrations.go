// Package migrations has the schema of the database as SQL, with one folder per
// dialect.
//
// Store.Migrate of adapters/bunstore runs them, at the start of a program that
// bootstrap/local opens, and by "atelier migrate".
//
// A file is named <number>_<subject>.tx.up.sql and runs in one transaction that
// also records it. A file that has been released never changes: changes go into the
// next number.
package migrations

import (
	"embed"
	"io/fs"

	"github.com/uptrace/bun/migrate"
)

//go:embed sqlite/*.tx.up.sql postgres/*.tx.up.sql
var files embed.FS

// SQLite returns the migrations for SQLite.
func SQLite() (*migrate.Migrations, error) { return discover("sqlite") }

// Postgres returns the migrations for PostgreSQL.
func Postgres() (*migrate.Migrations, error) { return discover("postgres") }

func discover(dialect string) (*migrate.Migrations, error) {
	folder, err := fs.Sub(files, dialect)
	if err != nil {
		return nil, err
	}
	found := migrate.NewMigrations()
	if err := found.Discover(folder); err != nil {
		return nil, err
	}
	return found, nil
}
