package sdk

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
)

const schemas = "#/components/schemas/"

// identifier matches names that TypeScript takes without quotes.
var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// typeName is the type of a named schema. Two schemas have names of JavaScript itself.
func typeName(schema string) string {
	switch schema {
	case "Error":
		return "ErrorBody"
	case "Record":
		return "DataRecord"
	}
	return schema
}

// typeOf returns a schema as a type; unknown allows any value. indent precedes the lines of
// the members of an object.
func typeOf(schema manual.Part, indent string) string {
	if name, found := strings.CutPrefix(schema.Reference(), schemas); found {
		return typeName(name)
	}
	if all := schema.At("allOf"); all.Exists() {
		return intersection(append(parts(all, indent), objectOf(schema, indent)))
	}
	if choices := schema.At("oneOf"); choices.Exists() {
		return union(parts(choices, indent))
	}
	if value := schema.At("const"); value.Exists() {
		return literal(value)
	}
	if values := schema.At("enum"); values.Exists() {
		var all []string
		for value := range values.Elements() {
			all = append(all, literal(value))
		}
		return union(all)
	}
	var all []string
	for _, name := range schema.At("type").Texts() {
		all = append(all, typeNamed(name, schema, indent))
	}
	if all == nil {
		return objectOf(schema, indent)
	}
	return union(all)
}

func parts(list manual.Part, indent string) (all []string) {
	for part := range list.Elements() {
		all = append(all, typeOf(part, indent))
	}
	return all
}

// typeNamed is one of the types that a schema lists.
func typeNamed(name string, schema manual.Part, indent string) string {
	switch name {
	case "integer":
		return "number"
	case "array":
		return listOf(typeOf(schema.At("items"), indent))
	case "object":
		if object := objectOf(schema, indent); object != "unknown" {
			return object
		}
		return "Record<string, unknown>"
	case "string":
		if schema.At("format").Text() == "binary" {
			return "Blob"
		}
	}
	return name
}

func listOf(element string) string {
	if strings.ContainsAny(element, "|&") && !strings.HasPrefix(element, "{") {
		return "(" + element + ")[]"
	}
	return element + "[]"
}

// objectOf has the members of an object; unknown if the schema lists none.
func objectOf(schema manual.Part, indent string) string {
	var members strings.Builder
	required, inner := schema.At("required").Texts(), indent+"  "
	for name, member := range schema.At("properties").Members() {
		if member.Reference() == "" {
			comment(&members, inner, member.At("description").Text())
		}
		mark := "?"
		if slices.Contains(required, name) {
			mark = ""
		}
		members.WriteString(inner + quoted(name) + mark + ": " + typeOf(member, inner) + ";\n")
	}
	object := "unknown"
	if members.Len() > 0 {
		object = "{\n" + members.String() + indent + "}"
	}
	if others := schema.At("additionalProperties"); others.Exists() && others.Text() != "false" {
		return intersection([]string{object, "Record<string, " + typeOf(others, indent) + ">"})
	}
	return object
}

// quoted is the name of a member as it is written.
func quoted(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// literal is the type of one value.
func literal(value manual.Part) string {
	switch scalar := value.Value(nil).(type) {
	case string:
		return strconv.Quote(scalar)
	case nil:
		return "null"
	}
	return value.Text()
}

// union and intersection combine types. A part without a statement, unknown, adds nothing to
// an intersection.
func union(types []string) string { return combined(types, " | ", "") }

func intersection(types []string) string { return combined(types, " & ", "unknown") }

func combined(types []string, operator, nothing string) string {
	var all []string
	for _, one := range types {
		if one == nothing || slices.Contains(all, one) {
			continue
		}
		if strings.Contains(one, " | ") && operator == " & " && !strings.HasPrefix(one, "{") {
			one = "(" + one + ")"
		}
		all = append(all, one)
	}
	if all == nil {
		return "unknown"
	}
	return strings.Join(all, operator)
}
