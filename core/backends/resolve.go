package backends

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Resolve gives every collection and field of a declaration its id in the schema in force,
// or a new one. It matches by id if the file has one, else by renamedFrom, else by name. A
// renaming is not repeated once it is in force: the file may keep it, while another thing
// has the old name. A changed type makes a collection or a field a new one.
//
// Collections and fields of the same name have the same ids in all environments that begin
// with the same schema. The environments share nothing else.
func (d Declaration) Resolve(inForce backend.Schema) (backend.Schema, []core.Diagnostic) {
	d.file.found = nil
	taken := make(map[string]bool)
	for _, collection := range inForce.Collections {
		taken[collection.ID] = true
	}
	matches := matchAll(len(d.Collections), len(inForce.Collections), func(i, j int, by matchBy) bool {
		declared, present := d.Collections[i].Collection, inForce.Collections[j]
		return declared.Type == present.Type && by(nameOfCollection(declared), nameOfCollection(present))
	})
	var schema backend.Schema
	for i, declared := range d.Collections {
		var before *backend.Collection
		if matches[i] >= 0 {
			before = &inForce.Collections[matches[i]]
		}
		schema.Collections = append(schema.Collections, resolveCollection(declared, before, taken))
	}
	for i := range d.Collections {
		resolveRelations(&schema, d.Collections, i)
	}
	return schema, d.file.found
}

// identifiers is the id and the names of a collection or a field.
type identifiers struct{ id, name, renamedFrom string }

func nameOfCollection(c backend.Collection) identifiers {
	return identifiers{c.ID, c.Name, c.RenamedFrom}
}

func nameOfField(f backend.Field) identifiers { return identifiers{f.ID, f.Name, f.RenamedFrom} }

// matchBy compares a declared thing with one in force.
type matchBy func(declared, present identifiers) bool

func sameID(declared, present identifiers) bool {
	return declared.id != "" && declared.id == present.id
}

// isRenamed reports whether the file's renaming is in force.
func isRenamed(declared, present identifiers) bool {
	return declared.renamedFrom != "" && sameName(declared, present) && strings.EqualFold(declared.renamedFrom, present.renamedFrom)
}

func renames(declared, present identifiers) bool {
	return declared.renamedFrom != "" && strings.EqualFold(declared.renamedFrom, present.name)
}

func sameName(declared, present identifiers) bool {
	return strings.EqualFold(declared.name, present.name)
}

// matchAll returns for each declared thing the index of the matching one in force, or -1. A
// name matches only what no id and no renamedFrom claims.
func matchAll(declared, present int, matches func(i, j int, by matchBy) bool) []int {
	found, used := make([]int, declared), make([]bool, present)
	for i := range found {
		found[i] = -1
	}
	for _, by := range []matchBy{sameID, isRenamed, renames, sameName} {
		for i := range found {
			for j := range used {
				if found[i] < 0 && !used[j] && matches(i, j, by) {
					found[i], used[j] = j, true
				}
			}
		}
	}
	return found
}

func resolveCollection(declared declaredCollection, before *backend.Collection, taken map[string]bool) backend.Collection {
	collection := declared.Collection
	switch {
	case before != nil:
		collection.ID = before.ID
	case collection.ID == "" || taken[collection.ID]:
		collection.ID = freshID("pbc_", string(declared.Type)+declared.Name, taken)
	}
	taken[collection.ID] = true
	if declared.Type != backend.View {
		collection.Fields = resolveFields(withTimes(declared.fields), before)
	}
	return collection
}

// withTimes adds the fields created and updated. Nearly every page sorts by them, and
// PocketBase's own studio adds them, too.
func withTimes(fields []declaredField) []declaredField {
	for _, time := range []declaredField{
		{Field: backend.Field{Name: "created", Type: "autodate", Options: map[string]json.RawMessage{"onCreate": json.RawMessage("true")}}},
		{Field: backend.Field{Name: "updated", Type: "autodate", Options: map[string]json.RawMessage{"onCreate": json.RawMessage("true"), "onUpdate": json.RawMessage("true")}}},
	} {
		if !slices.ContainsFunc(fields, func(f declaredField) bool { return strings.EqualFold(f.Name, time.Name) }) {
			fields = append(fields, time)
		}
	}
	return fields
}

func resolveFields(declared []declaredField, before *backend.Collection) []backend.Field {
	var present []backend.Field
	if before != nil {
		present = before.Fields
	}
	taken := make(map[string]bool)
	for _, field := range present {
		taken[field.ID] = true
	}
	matches := matchAll(len(declared), len(present), func(i, j int, by matchBy) bool {
		return declared[i].Type == present[j].Type && by(nameOfField(declared[i].Field), nameOfField(present[j]))
	})
	fields := make([]backend.Field, len(declared))
	for i, one := range declared {
		fields[i] = one.Field
		switch {
		case matches[i] >= 0:
			fields[i].ID = present[matches[i]].ID
		case one.ID == "" || taken[one.ID]:
			fields[i].ID = freshID(one.Type, one.Name, taken)
		}
		taken[fields[i].ID] = true
	}
	return fields
}

// freshID derives an id from a name as PocketBase does, with a counter if it is taken.
func freshID(prefix, name string, taken map[string]bool) string {
	id := prefix + strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(name))), 10)
	for i := 2; taken[id]; i++ {
		id = fmt.Sprintf("%s%d_%d", prefix, crc32.ChecksumIEEE([]byte(name)), i)
	}
	return id
}

// resolveRelations replaces the targets of a collection's relations (an id or a name, in
// collection or collectionId) by ids.
func resolveRelations(schema *backend.Schema, all []declaredCollection, at int) {
	for i, field := range schema.Collections[at].Fields {
		if field.Type != "relation" || i >= len(all[at].fields) {
			continue
		}
		one := all[at].fields[i]
		named, ok := one.members["collectionId"]
		if !ok {
			named, ok = one.members["collection"]
		}
		if !ok {
			one.at.complain("The relation %q has no \"collection\".", field.Name)
			continue
		}
		text, ok := named.text("\"collection\"")
		if !ok {
			continue
		}
		target := slices.IndexFunc(all, func(c declaredCollection) bool { return c.ID != "" && c.ID == text || strings.EqualFold(c.Name, text) })
		if target < 0 {
			named.complain("The relation %q names the collection %q, which does not exist.", field.Name, text)
			continue
		}
		field.Options = maps.Clone(field.Options)
		delete(field.Options, "collection")
		// A string is always encoded.
		field.Options["collectionId"], _ = json.Marshal(schema.Collections[target].ID)
		schema.Collections[at].Fields[i] = field
	}
}
