package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"net/url"

	"github.com/atelierhq/atelier/core"
)

// CheckSQLite reads all of an SQLite file, and returns core.CodeConflict with the first thing that
// is wrong with it. Other connections may read and write meanwhile.
func CheckSQLite(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", sqliteDSN(path, url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(10000)"}}))
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database file cannot be opened")
	}
	var found string
	err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found)
	if err := errors.Join(err, db.Close()); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database file cannot be read: %v", err)
	}
	if found != "ok" {
		return core.Errorf(core.CodeConflict, "the database file is damaged: %s", found)
	}
	return nil
}
