package recordfile

import (
	"slices"

	"github.com/atelierhq/atelier/ports/backend"
)

// column is a field of a collection's records.
type column struct {
	name, kind string
	// ids says which ids the column has: those of the collection, or of the one that a relation
	// names.
	ids *ids
}

// Types whose values need conversion. All others are texts.
const (
	kindID       = "id"
	kindNumber   = "number"
	kindBool     = "bool"
	kindDate     = "date"
	kindAutodate = "autodate"
	kindJSON     = "json"
	kindPoint    = "geoPoint"
	kindSelect   = "select"
	kindRelation = "relation"
	kindFile     = "file"
	kindPassword = "password"
	kindText     = "text"
	kindEditor   = "editor"
	kindEmail    = "email"
)

// columnsOf returns the columns of a collection, which is not a view, in the schema's order.
func columnsOf(schema backend.Schema, collection backend.Collection) []column {
	columns := []column{{"id", kindID, idsOf(collection)}}
	if collection.Type == backend.Auth {
		columns = append(columns, column{name: "email", kind: kindEmail}, column{name: "emailVisibility", kind: kindBool}, column{name: "verified", kind: kindBool})
	}
	for _, field := range collection.Fields {
		if collection.IsSystem(field.Name) {
			continue
		}
		made := column{name: field.Name, kind: field.Type}
		if field.Type == kindRelation {
			target := field.Text("collectionId")
			if at := slices.IndexFunc(schema.Collections, func(c backend.Collection) bool { return c.ID == target }); at >= 0 {
				made.ids = idsOf(schema.Collections[at])
			}
		}
		columns = append(columns, made)
	}
	return columns
}

// customary are names that other databases have for fields.
var customary = map[string]string{"created_at": "created", "updated_at": "updated"}

// find returns the column of a name in a file that also has other names: the field of that name,
// or else the one for which other databases have it.
func find(columns []column, name string, has func(name string) bool) (column, bool) {
	named := func(name string) int { return slices.IndexFunc(columns, func(c column) bool { return c.name == name }) }
	at := named(name)
	if other := customary[name]; at < 0 && other != "" && !has(other) {
		at = named(other)
	}
	if at < 0 {
		return column{}, false
	}
	return columns[at], true
}

// isEverywhere reports whether every record has a member of that name, which is no field.
func isEverywhere(name string) bool {
	return name == "collectionId" || name == "collectionName" || name == "expand"
}
