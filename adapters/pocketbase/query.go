package pocketbase

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	pb "github.com/pocketbase/pocketbase/core"

	"github.com/atelierhq/atelier/adapters/pocketbase/bounded"
	"github.com/atelierhq/atelier/adapters/pocketbase/turns"
	"github.com/atelierhq/atelier/adapters/pocketbase/views"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Query implements backend.Queries. The query sees temporary views of the collections
// without their hidden fields. The database itself is attached read-only, under a name that
// cannot be guessed.
func (e *Engine) Query(ctx context.Context, place backend.Place, query string) (backend.Table, error) {
	if err := checkSelect(query); err != nil {
		return backend.Table{}, err
	}
	var table backend.Table
	err := e.places.read(ctx, place, func(app *application) error {
		var collections []*pb.Collection
		if err := app.CollectionQuery().All(&collections); err != nil {
			return err
		}
		// SQLite's modules read the pages of any database, whatever its name.
		if err := views.CheckQuery(ctx, collections, query); err != nil {
			return err
		}
		conn, err := app.openViews(ctx, collections)
		if err != nil {
			return err
		}
		defer conn.Close()
		// The time is the query's alone: the views need theirs on a busy machine, and waiting has more.
		ctx, cancel := context.WithTimeout(ctx, app.limits.Select+turns.Patience)
		defer cancel()
		table, err = selectRows(ctx, conn, query)
		switch {
		case errors.Is(err, bounded.ErrTooSlow):
			return core.Errorf(core.CodeValidationFailed, "the query took longer than %d ms; add a condition or a LIMIT", app.limits.Select.Milliseconds())
		case errors.Is(err, bounded.ErrTooLarge):
			return core.Errorf(core.CodeValidationFailed, "the query returns more than %s; select fewer columns, or add a LIMIT", mebibytes(maxAnswerBytes))
		case errors.Is(err, context.DeadlineExceeded):
			return core.Wrap(core.CodeUnavailable, err, "the data is busy: try again in a moment")
		}
		return err
	})
	return table, err
}

// shadows is a connection to an empty database with views of the collections.
type shadows struct {
	db *sql.DB
	*sql.Conn
}

// Close releases the connection.
func (v *shadows) Close() error { return errors.Join(v.Conn.Close(), v.db.Close()) }

func (a *application) openViews(ctx context.Context, collections []*pb.Collection) (*shadows, error) {
	db, err := bounded.Open(":memory:", a.config.bounds(a.limits.Select))
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	v := &shadows{db, conn}
	name := "a" + strings.ToLower(rand.Text())
	file := url.URL{Scheme: "file", Path: filepath.Join(a.dir, "data.db"), RawQuery: "mode=ro"}
	_, err = conn.ExecContext(ctx, "ATTACH ? AS "+name, file.String())
	if err == nil {
		err = shadow(ctx, conn, collections, name)
	}
	if err == nil {
		_, err = conn.ExecContext(ctx, "PRAGMA query_only=1")
	}
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// shadow creates a view for every table and view of the database: collections without their
// secrets, and everything else empty.
func shadow(ctx context.Context, conn *sql.Conn, collections []*pb.Collection, database string) error {
	statements := make(map[string]string)
	rows, err := conn.QueryContext(ctx, "SELECT name FROM "+database+".sqlite_schema WHERE type IN ('table', 'view')")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		statements[name] = "CREATE TEMP VIEW " + quoteName(name) + " AS SELECT NULL AS hidden WHERE false"
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, collection := range collections {
		if !collection.System {
			statements[collection.Name] = viewOf(collection, database)
		}
	}
	for name, statement := range statements {
		if strings.HasPrefix(name, "sqlite_") {
			continue // the name is reserved; the table counts rows
		}
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// viewOf returns the statement for a view of a collection, with null in place of hidden fields.
func viewOf(collection *pb.Collection, database string) string {
	columns := make([]string, len(collection.Fields))
	for i, field := range collection.Fields {
		columns[i] = quoteName(field.GetName())
		if field.GetHidden() {
			columns[i] = "NULL AS " + columns[i]
		}
	}
	name := quoteName(collection.Name)
	return fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT %s FROM %s.%s", name, strings.Join(columns, ", "), database, name)
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// selectRows runs a checked query.
func selectRows(ctx context.Context, conn *shadows, query string) (backend.Table, error) {
	query = strings.TrimSuffix(strings.TrimRight(query, " \t\r\n"), ";")
	rows, err := conn.QueryContext(ctx, fmt.Sprintf("SELECT * FROM (\n%s\n) LIMIT %d", query, backend.MaxRows+1))
	if err != nil {
		return backend.Table{}, queryError(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return backend.Table{}, err
	}
	table := backend.Table{Columns: columns, Rows: [][]any{}}
	for rows.Next() {
		if len(table.Rows) == backend.MaxRows {
			table.Truncated = true
			break
		}
		row, err := scanRow(rows, len(columns))
		if err != nil {
			return backend.Table{}, err
		}
		table.Rows = append(table.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return backend.Table{}, queryError(err)
	}
	return table, nil
}

func scanRow(rows *sql.Rows, columns int) ([]any, error) {
	row, into := make([]any, columns), make([]any, columns)
	for i := range row {
		into[i] = &row[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	for i, value := range row {
		switch value := value.(type) {
		case []byte:
			row[i] = string(value)
		case time.Time:
			row[i] = value.UTC().Format(time.RFC3339Nano)
		}
	}
	return row, nil
}

// queryError returns SQLite's message about a query.
func queryError(err error) error {
	return core.Wrap(core.CodeValidationFailed, err, "%s", strings.TrimPrefix(err.Error(), "SQL logic error: "))
}
