package pgschema

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// field is a field of a collection, as the schema file has it.
type field struct {
	Name          string   `json:"name"`
	Type          string   `json:"type"`
	Required      bool     `json:"required,omitempty"`
	Max           int      `json:"max,omitempty"`
	OnlyInt       bool     `json:"onlyInt,omitempty"`
	Values        []string `json:"values,omitempty"`
	Collection    string   `json:"collection,omitempty"`
	MaxSelect     int      `json:"maxSelect,omitempty"`
	CascadeDelete bool     `json:"cascadeDelete,omitempty"`
	OnCreate      bool     `json:"onCreate,omitempty"`
	OnUpdate      bool     `json:"onUpdate,omitempty"`
}

// types are the types of fields by those of columns. All others become text.
var types = map[string]string{
	"smallint": "number", "integer": "number", "int": "number", "int2": "number", "int4": "number", "int8": "number", "bigint": "number",
	"smallserial": "number", "serial": "number", "bigserial": "number",
	"numeric": "number", "decimal": "number", "real": "number", "double": "number", "float4": "number", "float8": "number", "money": "number",
	"boolean": "bool", "bool": "bool",
	"timestamp": "date", "timestamptz": "date", "date": "date",
	"json": "json", "jsonb": "json", "point": "geoPoint",
	"text": "text", "character": "text", "varchar": "text", "char": "text", "bpchar": "text", "citext": "text", "uuid": "text", "name": "text",
	"time": "text", "timetz": "text", "interval": "text", "inet": "text", "cidr": "text", "macaddr": "text",
}

// integers are the types of columns that have no fraction.
var integers = []string{"smallint", "integer", "int", "int2", "int4", "int8", "bigint", "smallserial", "serial", "bigserial"}

// maxValues bounds the values of a select.
const maxValues = 200

// fieldsOf returns the fields of a table, without those that its collection has anyway.
func (p *draft) fieldsOf(of *table, into *collection) []field {
	var fields []field
	for _, one := range of.columns {
		if one.name == "id" || into.Type == "auth" && slices.Contains(ownOfAuth, strings.ToLower(one.name)) {
			continue
		}
		if one.isComputed {
			p.note(core.Phrasef("%s.%s was left out, because it is computed from other columns", of.name, one.name))
			continue
		}
		made := p.fieldOf(of, one)
		if slices.ContainsFunc(fields, func(f field) bool { return strings.EqualFold(f.Name, made.Name) }) {
			p.note(core.Phrasef("%s.%s was left out, because another column has that name", of.name, one.name))
			continue
		}
		fields = append(fields, made)
	}
	return fields
}

// ownOfAuth are fields that every auth collection has, in lower case.
var ownOfAuth = []string{"password", "tokenkey", "email", "emailvisibility", "verified"}

func (p *draft) fieldOf(of *table, one *column) field {
	made := field{Name: p.nameOf(of.name+"."+one.name, one.name), Type: types[one.kind], Required: one.notNull && one.preset == ""}
	values := cmp.Or(len(one.values), len(p.from.enums[one.kind]))
	target := p.collectionOf(one.refers)
	switch {
	case target != "" && !one.isArray:
		made.Type, made.Collection, made.MaxSelect, made.CascadeDelete = "relation", target, 1, one.cascade
	case values > 0 && values <= maxValues:
		made.Type, made.MaxSelect = "select", 1
		if made.Values = one.values; len(made.Values) == 0 {
			made.Values = p.from.enums[one.kind]
		}
		if one.isArray {
			made.MaxSelect = len(made.Values)
		}
	case one.isArray:
		made.Type = "json"
	case made.Type == "":
		p.note(core.Phrasef("%s.%s is text here: the type %s has no equivalent", of.name, one.name, one.kind))
		made.Type = "text"
	case one.isNow && made.Type == "date":
		made.Type, made.OnCreate, made.OnUpdate = "autodate", true, strings.HasPrefix(one.name, "updated") || strings.HasPrefix(one.name, "modified")
	case made.Type == "number":
		made.OnlyInt = slices.Contains(integers, one.kind)
	case made.Type == "text":
		made.Max = one.size
	}
	// A number or a yes that is required must not be 0 or no, and a list not empty.
	made.Required = made.Required && slices.Contains([]string{"text", "select", "relation", "date"}, made.Type)
	if preset, _, _ := strings.Cut(one.preset, "::"); !slices.Contains(zeros, preset) && made.Type != "autodate" {
		p.presets = append(p.presets, of.name+"."+one.name)
	}
	return made
}

// zeros are presets that a record without the field is like.
var zeros = []string{"", "false", "0", "''", "'{}'", "'[]'", "array[]"}

// outside are the characters that names of collections and fields do not have.
var outside = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// reserved are names of fields that the engine has for itself.
var reserved = []string{"collectionid", "collectionname", "expand"}

// nameOf returns the name of a column or table here, where it begins with a letter and has letters,
// digits and _ only.
func (p *draft) nameOf(what, name string) string {
	known := strings.Trim(outside.ReplaceAllString(name, "_"), "_")
	if known == "" || !strings.ContainsAny(strings.ToLower(known[:1]), "abcdefghijklmnopqrstuvwxyz") {
		known = "x_" + known
	}
	if slices.Contains(reserved, strings.ToLower(known)) {
		known = "x_" + known
	}
	if known != name {
		p.note(core.Phrasef("%s is called %s here", what, known))
	}
	return known
}
