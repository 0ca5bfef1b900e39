package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// CopySQLite copies the database that databaseURL names to a file that does not exist
// yet, as a snapshot of one moment. Other connections may read and write meanwhile. If
// the database is not SQLite, the error has code core.CodeConflict.
func CopySQLite(ctx context.Context, databaseURL, target string) error {
	path, isSQLite := strings.CutPrefix(databaseURL, "sqlite://")
	if !isSQLite {
		return core.Errorf(core.CodeConflict, "DATABASE_URL is not an SQLite file: copy the database with its own tools, such as pg_dump")
	}
	db, err := sql.Open("sqlite", sqliteDSN(path, url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(10000)"}}))
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database file cannot be opened")
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", target)
	if err := errors.Join(err, db.Close()); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database file cannot be copied")
	}
	return nil
}
