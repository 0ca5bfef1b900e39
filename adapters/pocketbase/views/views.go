// Package views lets the views of a schema see no more than everybody may see.
//
// A view is a SELECT of a schema file, and strangers read its records. To PocketBase a view is the
// database's: it reads any table, and an expression such as lower(email) takes a hidden field out
// of the rules. So each collection with something to hide has a mask here, an SQL view with NULL
// in the place of what is hidden, and the views of the schema are rewritten to read the masks: a
// common table expression with the name of the collection comes before the query, and hides the
// table from all of it. What a query reads beside collections is refused (catalog.go).
package views

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pocketbase/dbx"
	pb "github.com/pocketbase/pocketbase/core"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

const (
	// maskPrefix begins the names of masks. No collection of a schema has such a name.
	maskPrefix = "_visible_"
	// seam is between the masks and the query of a view. No name holds it.
	seam = "/*query*/ "
	// plain begins the query of a view as PocketBase makes it, and of no other.
	plain = "SELECT * FROM ("
)

// Tighten lets the views read masks. A view that reads anything but collections, as those of
// earlier versions may, gets no rows.
func Tighten(ctx context.Context, app pb.App) error {
	present, err := viewsOf(app.DB())
	if err != nil || len(present) == 0 {
		return err
	}
	var collections []*pb.Collection
	if err := app.CollectionQuery().All(&collections); err != nil {
		return err
	}
	masked, err := mask(app.DB(), collections, present)
	if err != nil {
		return err
	}
	known, err := newCatalog(ctx, collections)
	if err != nil {
		return err
	}
	defer known.close()
	for _, collection := range collections {
		query, isPlain := queryOf(collection, present[collection.Name])
		if !isPlain {
			continue
		}
		if known.check(ctx, query) != nil {
			query = "SELECT " + strings.Join(columnsOf(collection, func(pb.Field, string) string { return "NULL" }), ", ") + " WHERE false"
		}
		if err := replace(app.DB(), collection.Name, withMasks(query, masked)); err != nil {
			return err
		}
	}
	return nil
}

// Loosen undoes Tighten: SQLite refuses to change a table whose columns are named in masks.
func Loosen(db dbx.Builder) error {
	present, err := viewsOf(db)
	if err != nil {
		return err
	}
	for name, text := range present {
		switch _, query, isSewn := strings.Cut(text, seam); {
		case strings.HasPrefix(name, maskPrefix):
			err = drop(db, name)
		case isSewn && !strings.HasPrefix(text, statement(name, plain)):
			err = replace(db, name, query)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Check returns a *backend.Problem for the first view that reads anything but collections.
func Check(ctx context.Context, app pb.App) error {
	var collections []*pb.Collection
	if err := app.CollectionQuery().All(&collections); err != nil {
		return err
	}
	if !slices.ContainsFunc(collections, (*pb.Collection).IsView) {
		return nil
	}
	known, err := newCatalog(ctx, collections)
	if err != nil {
		return err
	}
	defer known.close()
	for _, collection := range collections {
		if !collection.IsView() {
			continue
		}
		if err := known.check(ctx, collection.ViewQuery); err != nil {
			return &backend.Problem{Collection: collection.Name, Member: "viewQuery", Message: known.explain(collection.Name, err)}
		}
	}
	return nil
}

// CheckQuery returns core.CodeValidationFailed for a query that reads anything but the collections.
func CheckQuery(ctx context.Context, collections []*pb.Collection, query string) error {
	known, err := newCatalog(ctx, collections)
	if err != nil {
		return err
	}
	defer known.close()
	err = known.check(ctx, query)
	if err == nil {
		return nil
	}
	if table := foreignTable(err); table != "" {
		return core.Errorf(core.CodeValidationFailed, "the query reads %q, which is no collection of this project", table)
	}
	return core.Wrap(core.CodeValidationFailed, err, "%s", strings.TrimPrefix(err.Error(), "SQL logic error: "))
}

// viewsOf returns the statements of a database's views by their names.
func viewsOf(db dbx.Builder) (map[string]string, error) {
	var rows []struct{ Name, SQL string }
	err := db.NewQuery("SELECT name, sql FROM sqlite_schema WHERE type = 'view'").All(&rows)
	present := make(map[string]string, len(rows))
	for _, row := range rows {
		present[row.Name] = row.SQL
	}
	return present, err
}

// mask makes the masks of all collections that have something to hide, and returns the names of
// these collections.
func mask(db dbx.Builder, collections []*pb.Collection, present map[string]string) ([]string, error) {
	var masked []string
	for _, collection := range collections {
		if collection.System || !hides(collection) {
			continue
		}
		masked = append(masked, collection.Name)
		name, query := maskPrefix+collection.Name, maskOf(collection)
		if present[name] == statement(name, query) {
			continue
		}
		if err := replace(db, name, query); err != nil {
			return nil, err
		}
	}
	return masked, nil
}

// hides reports whether not everybody may see all fields of a collection's records.
func hides(collection *pb.Collection) bool {
	for _, field := range collection.Fields {
		if field.GetHidden() {
			return true
		}
	}
	return collection.IsAuth()
}

// maskOf returns a collection's records as everybody may see them.
func maskOf(collection *pb.Collection) string {
	columns := columnsOf(collection, func(field pb.Field, name string) string {
		switch {
		case field.GetHidden():
			return "NULL"
		case collection.IsAuth() && field.GetName() == pb.FieldNameEmail:
			return fmt.Sprintf("CASE WHEN %s THEN %s END", quoted(pb.FieldNameEmailVisibility), name)
		}
		return name
	})
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + quoted(collection.Name)
}

// columnsOf returns what is selected of a collection, by an expression for each field.
func columnsOf(collection *pb.Collection, expression func(field pb.Field, name string) string) []string {
	columns := make([]string, len(collection.Fields))
	for i, field := range collection.Fields {
		name := quoted(field.GetName())
		columns[i] = expression(field, name) + " AS " + name
	}
	return columns
}

// queryOf returns the query of a collection's view, if that reads no masks yet.
func queryOf(collection *pb.Collection, text string) (query string, isPlain bool) {
	if !collection.IsView() || !strings.HasPrefix(text, statement(collection.Name, plain)) {
		return "", false
	}
	return strings.CutPrefix(text, statement(collection.Name, ""))
}

// withMasks puts the masks of the collections that a query may name before it. The seam is there
// in any case, and says that the query was looked at.
func withMasks(query string, masked []string) string {
	var masks []string
	for _, name := range masked {
		if strings.Contains(strings.ToLower(query), strings.ToLower(name)) {
			masks = append(masks, fmt.Sprintf("%s AS NOT MATERIALIZED (SELECT * FROM %s)", quoted(name), quoted(maskPrefix+name)))
		}
	}
	if len(masks) == 0 {
		return seam + query
	}
	return "WITH " + strings.Join(masks, ", ") + " " + seam + query
}

// replace makes a view anew.
func replace(db dbx.Builder, name, query string) error {
	if err := drop(db, name); err != nil {
		return err
	}
	_, err := db.NewQuery(statement(name, query)).Execute()
	return err
}

func drop(db dbx.Builder, name string) error {
	_, err := db.NewQuery("DROP VIEW IF EXISTS " + quoted(name)).Execute()
	return err
}

// statement is the one by which a view is made, as PocketBase writes it.
func statement(name, query string) string { return "CREATE VIEW " + quoted(name) + " AS " + query }

func quoted(name string) string { return "`" + name + "`" }
