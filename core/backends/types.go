package backends

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/ports/backend"
)

// TypesOf returns the TypeScript types of a schema's records (src/backend.gen.ts).
func TypesOf(schema backend.Schema) []byte {
	var out strings.Builder
	out.WriteString("// Written from backend/schema.json whenever it changes: edit that file instead.\n\n")
	out.WriteString("export interface BaseRecord {\n  id: string;\n  collectionId: string;\n  collectionName: string;\n}\n")
	for _, collection := range schema.Collections {
		writeCollection(&out, collection, schema)
	}
	out.WriteString("\nexport interface Collections {\n")
	for _, collection := range schema.Collections {
		fmt.Fprintf(&out, "  %s: %s;\n", collection.Name, typeName(collection.Name))
	}
	out.WriteString("}\n")
	return []byte(out.String())
}

// typeName is the name of a collection's interface: guest_books becomes GuestBooksRecord.
func typeName(collection string) string {
	var name strings.Builder
	upper := true
	for _, c := range collection {
		if c == '_' {
			upper = true
			continue
		}
		if upper {
			c = unicode.ToUpper(c)
		}
		upper = false
		name.WriteRune(c)
	}
	return name.String() + "Record"
}

func writeCollection(out *strings.Builder, collection backend.Collection, schema backend.Schema) {
	fmt.Fprintf(out, "\nexport interface %s extends BaseRecord {\n", typeName(collection.Name))
	if collection.Type == backend.Auth {
		out.WriteString("  email?: string;\n  emailVisibility: boolean;\n  verified: boolean;\n")
	}
	var related []backend.Field
	for _, field := range collection.Fields {
		if isSystem(collection, field.Name) || string(field.Options["hidden"]) == "true" || field.Type == "password" {
			continue
		}
		fmt.Fprintf(out, "  %s: %s;\n", field.Name, typeOf(field))
		if field.Type == "relation" {
			related = append(related, field)
		}
	}
	if collection.Type == backend.View {
		// The fields of a view are those of its query.
		out.WriteString("  [field: string]: unknown;\n")
	}
	writeExpand(out, related, schema)
	out.WriteString("}\n")
}

func writeExpand(out *strings.Builder, related []backend.Field, schema backend.Schema) {
	if len(related) == 0 {
		return
	}
	out.WriteString("  expand?: {\n")
	for _, field := range related {
		name := "BaseRecord"
		if target := find(schema.Collections, textOption(field, "collectionId")); target != nil {
			name = typeName(target.Name)
		}
		if isMultiple(field) {
			name += "[]"
		}
		fmt.Fprintf(out, "    %s?: %s;\n", field.Name, name)
	}
	out.WriteString("  };\n")
}

// typeOf is the type of a field's value as the client reads it.
func typeOf(field backend.Field) string {
	switch field.Type {
	case "number":
		return "number"
	case "bool":
		return "boolean"
	case "json":
		return "unknown"
	case "geoPoint":
		return "{ lon: number; lat: number }"
	case "select":
		return plural(field, choices(field))
	case "relation", "file":
		return plural(field, "string")
	}
	return "string"
}

// choices is the union of a select's values.
func choices(field backend.Field) string {
	var values []string
	if json.Unmarshal(field.Options["values"], &values) != nil || len(values) == 0 {
		return "string"
	}
	quoted := make([]string, len(values))
	for i, value := range values {
		text, err := json.Marshal(value)
		if err != nil {
			return "string"
		}
		quoted[i] = string(text)
	}
	slices.Sort(quoted)
	union := strings.Join(slices.Compact(quoted), " | ")
	if !isMultiple(field) && string(field.Options["required"]) != "true" {
		union += ` | ""`
	}
	return union
}

func plural(field backend.Field, one string) string {
	if !isMultiple(field) {
		return one
	}
	if strings.Contains(one, "|") {
		return "(" + one + ")[]"
	}
	return one + "[]"
}

// isMultiple reports whether a field holds a list.
func isMultiple(field backend.Field) bool {
	var most int
	return json.Unmarshal(field.Options["maxSelect"], &most) == nil && most > 1
}

func textOption(field backend.Field, name string) string {
	var text string
	if json.Unmarshal(field.Options[name], &text) != nil {
		return ""
	}
	return text
}
