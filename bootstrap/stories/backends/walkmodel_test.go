package backends_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The model of a backend: what the file says, and what an environment holds. It is written from
// the contract, in the simplest way: whole copies, and no ids but those that follow from names.

// declaredPart is a collection or a field of the file. Fields have a type and perhaps a max.
type declaredPart struct {
	name, renamedFrom, kind string
	max                     int
	fields                  []declaredPart
}

func cloneDeclared(all []declaredPart) []declaredPart {
	all = slices.Clone(all)
	for i := range all {
		all[i].fields = cloneDeclared(all[i].fields)
	}
	return all
}

// livePart is a collection or a field in force.
type livePart struct {
	declaredPart
	id     string
	fields []livePart
}

// values are what a record holds by the ids of fields; a missing one is its zero value.
type values map[string]any

// environ is an environment: its schema, and its records by collection and id.
type environ struct {
	schema []livePart
	rows   map[string]map[string]values
}

func (e *environ) clone() *environ {
	if e == nil {
		return nil
	}
	twin := &environ{schema: e.schema, rows: map[string]map[string]values{}}
	for collection, rows := range e.rows {
		twin.rows[collection] = map[string]values{}
		for id, row := range rows {
			twin.rows[collection][id] = maps.Clone(row)
		}
	}
	return twin
}

// matched returns what each declared thing continues, nil for a new one.
func matched(file []declaredPart, inForce []livePart) []*livePart {
	found, used := make([]*livePart, len(file)), make([]bool, len(inForce))
	for _, same := range []func(d declaredPart, h livePart) bool{
		func(d declaredPart, h livePart) bool {
			return d.renamedFrom != "" && d.name == h.name && d.renamedFrom == h.renamedFrom
		},
		func(d declaredPart, h livePart) bool { return d.renamedFrom != "" && d.renamedFrom == h.name },
		func(d declaredPart, h livePart) bool { return d.name == h.name },
	} {
		for i, d := range file {
			for j := range inForce {
				if found[i] == nil && !used[j] && d.kind == inForce[j].kind && same(d, inForce[j]) {
					found[i], used[j] = &inForce[j], true
				}
			}
		}
	}
	return found
}

// resolved gives the things of a file their ids.
func resolved(file []declaredPart, inForce []livePart) []livePart {
	taken := map[string]bool{}
	for _, h := range inForce {
		taken[h.id] = true
	}
	before := matched(file, inForce)
	var all []livePart
	for i, d := range file {
		one := livePart{declaredPart: d}
		var fields []livePart
		if before[i] != nil {
			one.id, fields = before[i].id, before[i].fields
		} else {
			one.id = d.kind + " " + d.name
			for n := 2; taken[one.id]; n++ {
				one.id = fmt.Sprintf("%s %s_%d", d.kind, d.name, n)
			}
		}
		taken[one.id] = true
		one.fields = resolved(d.fields, fields)
		all = append(all, one)
	}
	return all
}

func byID(all []livePart, id string) *livePart {
	if i := slices.IndexFunc(all, func(h livePart) bool { return h.id == id }); i >= 0 {
		return &all[i]
	}
	return nil
}

// loses reports whether a value is lost on the way to a schema: its collection or field is gone,
// or it is longer than the field now allows.
func (e *environ) loses(to []livePart) bool {
	for _, collection := range e.schema {
		after := byID(to, collection.id)
		if after == nil && len(e.rows[collection.id]) > 0 {
			return true
		}
		for _, row := range e.rows[collection.id] {
			for _, field := range collection.fields {
				next := byID(after.fields, field.id)
				text, _ := row[field.id].(string)
				switch {
				case isNothing(row[field.id]):
				case next == nil, next.max != field.max && next.max > 0 && len(text) > next.max:
					return true
				}
			}
		}
	}
	return false
}

// refuses reports whether a record cannot be saved: it has a text from before its field became
// shorter, which somebody has accepted.
func (h livePart) refuses(row values) bool {
	return slices.ContainsFunc(h.fields, func(field livePart) bool {
		text, _ := row[field.id].(string)
		return field.max > 0 && len(text) > field.max
	})
}

func isNothing(value any) bool {
	return value == nil || value == "" || value == 0.0 || value == false
}

// become gives the environment a schema.
func (e *environ) become(to []livePart) {
	rows := map[string]map[string]values{}
	for _, collection := range to {
		rows[collection.id] = map[string]values{}
		for id, row := range e.rows[collection.id] {
			rows[collection.id][id] = values{}
			for _, field := range collection.fields {
				// An id of a field that was dropped may come again, without its values.
				if value, ok := row[field.id]; ok && byID(byID(e.schema, collection.id).fields, field.id) != nil {
					rows[collection.id][id][field.id] = value
				}
			}
		}
	}
	// What nothing but renamedFrom tells apart is not a change.
	if !sameSchema(e.schema, to) {
		e.schema = to
	}
	e.rows = rows
}

func sameSchema(a, b []livePart) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(one livePart) bool {
		other := byID(b, one.id)
		return other == nil || other.name != one.name || other.max != one.max || !sameSchema(one.fields, other.fields)
	})
}

// zero is the value of a field of a type that was never set.
func zero(kind string) any {
	return map[string]any{"text": "", "number": 0.0, "bool": false, "file": ""}[kind]
}

// String is for messages.
func (e *environ) String() string {
	if e == nil {
		return "nothing"
	}
	var out strings.Builder
	for _, collection := range e.schema {
		fmt.Fprintf(&out, "%s (%s):", collection.name, collection.id)
		for _, field := range collection.fields {
			fmt.Fprintf(&out, " %s (%s)", field.name, field.id)
		}
		fmt.Fprintf(&out, " %v\n", e.rows[collection.id])
	}
	return out.String()
}
