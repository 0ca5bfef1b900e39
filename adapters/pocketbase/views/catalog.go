package views

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	pb "github.com/pocketbase/pocketbase/core"
)

// catalog is an empty database with the names of the collections and no others, by which SQLite
// itself says what a query reads.
type catalog struct {
	db    *sql.DB
	conn  *sql.Conn
	names []string
}

// inCatalog is the name of the catalog's database. A query that names a database (main.users)
// means another one, which SQLite refuses in a view.
const inCatalog = "catalog_of_views"

func newCatalog(ctx context.Context, collections []*pb.Collection) (*catalog, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	known := &catalog{db: db}
	known.conn, err = db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	// Views that are not trusted can't read tables of SQLite's modules, apart from those of JSON.
	statements := []string{"PRAGMA trusted_schema=0", "ATTACH ':memory:' AS " + inCatalog}
	for _, collection := range collections {
		if collection.System {
			continue
		}
		known.names = append(known.names, collection.Name)
		// A mask is a view, and has no rows that a query could name.
		form := "CREATE TABLE %s.%s AS %s"
		if hides(collection) && !collection.IsView() {
			form = "CREATE VIEW %s.%s AS %s"
		}
		columns := columnsOf(collection, func(pb.Field, string) string { return "NULL" })
		statements = append(statements, fmt.Sprintf(form, inCatalog, quoted(collection.Name), "SELECT "+strings.Join(columns, ", ")))
	}
	for _, statement := range statements {
		if _, err := known.conn.ExecContext(ctx, statement); err != nil {
			known.close()
			return nil, err
		}
	}
	return known, nil
}

func (c *catalog) close() {
	// An empty database in memory has nothing to lose.
	_ = c.conn.Close()
	_ = c.db.Close()
}

// check returns SQLite's error for a query that reads anything but collections.
func (c *catalog) check(ctx context.Context, query string) error {
	// Names that begin so are SQLite's own, and its schema is in every database.
	if name := ownName.FindString(query); name != "" {
		return errors.New("no such table: " + name)
	}
	const name = inCatalog + ".candidate_of_views"
	query = strings.TrimSuffix(strings.TrimSpace(query), ";")
	if _, err := c.conn.ExecContext(ctx, "CREATE VIEW "+name+" AS SELECT * FROM (\n"+query+"\n)"); err != nil {
		return err
	}
	_, err := c.conn.ExecContext(ctx, "EXPLAIN SELECT * FROM "+name)
	_, dropped := c.conn.ExecContext(ctx, "DROP VIEW "+name)
	return errors.Join(err, dropped)
}

var ownName = regexp.MustCompile(`(?i)\bsqlite_\w*`)

// foreign finds the table in SQLite's errors about one that a view can't read.
var foreign = regexp.MustCompile(`no such table: (?:` + inCatalog + `\.)?(\S+)|unsafe use of virtual table "(\w+)"|cannot reference objects in database (\w+)`)

// foreignTable returns the table that a query can't read by an error of check, or "".
func foreignTable(err error) string {
	found := foreign.FindStringSubmatch(err.Error())
	if found == nil {
		return ""
	}
	return found[1] + found[2] + found[3]
}

// explain says what to do about an error of check.
func (c *catalog) explain(view string, err error) string {
	table := foreignTable(err)
	if table == "" {
		return fmt.Sprintf("The view %q cannot be read: %s. Change viewQuery.", view, strings.TrimPrefix(err.Error(), "SQL logic error: "))
	}
	others := slices.DeleteFunc(slices.Clone(c.names), func(name string) bool { return name == view })
	slices.Sort(others)
	return fmt.Sprintf("The view %q reads %q, which is no collection of this project. Take it out of viewQuery: a view may read the project's collections only (%s).", view, table, strings.Join(others[:min(len(others), 10)], ", "))
}
