package manual

import (
	"html/template"
	"regexp"
	"slices"
	"strings"
)

// field is a member of an object, a parameter or a header.
type field struct {
	Name string
	// Place says where a parameter is: path, query or header.
	Place    string
	Required bool
	Kind     template.HTML
	Limits   string
	About    template.HTML
	// Fields are the members of an object without a name of its own.
	Fields []field
}

// fieldsOfSchema returns the members of an object, of a list's elements, or of the parts
// of a composed object. Named schemas are described separately.
func fieldsOfSchema(schema Part) []field {
	required := schema.At("required").Texts()
	var all []field
	for name, member := range schema.At("properties").Members() {
		all = append(all, field{
			Name: name, Required: slices.Contains(required, name), Kind: kindOf(member), Limits: limitsOf(member),
			About: aboutOf(member), Fields: nestedFields(member),
		})
	}
	for _, combination := range []string{"allOf", "oneOf"} {
		for branch := range schema.At(combination).Elements() {
			all = append(all, nestedFields(branch)...)
		}
	}
	return append(all, nestedFields(schema.At("items"))...)
}

func nestedFields(schema Part) []field {
	if !schema.Exists() || schema.Reference() != "" {
		return nil
	}
	return fieldsOfSchema(schema)
}

// aboutOf returns the description in a member's own schema. A named schema is described
// in its own place.
func aboutOf(schema Part) template.HTML {
	if schema.Reference() != "" {
		return ""
	}
	return markup(schema.At("description").Text())
}

// shapeKind is kindOf for an object whose members follow.
func shapeKind(schema Part) template.HTML {
	if kind := kindOf(schema); kind != "object" {
		return kind
	}
	return ""
}

// kindOf describes a schema's type in a few words, with links to named schemas.
func kindOf(schema Part) template.HTML {
	if name, found := strings.CutPrefix(schema.Reference(), "#/components/schemas/"); found {
		escaped := template.HTML(template.HTMLEscapeString(name))
		return `<a href="#schema-` + escaped + `">` + escaped + "</a>"
	}
	if parts := schema.At("allOf"); parts.Exists() {
		return joinKinds(parts, " and ")
	}
	if choices := schema.At("oneOf"); choices.Exists() {
		return joinKinds(choices, " or ")
	}
	if value := schema.At("const").Text(); value != "" {
		return coded(value)
	}
	if values := schema.At("enum").Texts(); values != nil {
		kinds := make([]template.HTML, len(values))
		for i, value := range values {
			kinds[i] = coded(value)
		}
		return joined(kinds, " or ")
	}
	types := schema.At("type").Texts()
	if len(types) == 0 {
		return "any value"
	}
	kinds := make([]template.HTML, len(types))
	for i, name := range types {
		kinds[i] = typeKind(schema, name)
	}
	return joined(kinds, " or ")
}

func typeKind(schema Part, name string) template.HTML {
	format := schema.At("format").Text()
	switch {
	case name == "array":
		return listKind(schema.At("items"))
	case name == "string" && format != "":
		return template.HTML(template.HTMLEscapeString(format))
	}
	return template.HTML(template.HTMLEscapeString(name))
}

func listKind(items Part) template.HTML {
	if !items.Exists() {
		return "list"
	}
	if kind := kindOf(items); kind != "object" {
		return "list of " + kind
	}
	return "list of objects"
}

func joinKinds(schemas Part, word string) template.HTML {
	var kinds []template.HTML
	for schema := range schemas.Elements() {
		if kind := kindOf(schema); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if at := slices.Index(kinds, "object"); at >= 0 && len(kinds) > 1 && word == " and " {
		return joined(slices.Delete(kinds, at, at+1), word) + " with"
	}
	return joined(kinds, word)
}

func joined(kinds []template.HTML, word string) template.HTML {
	var all template.HTML
	for i, kind := range kinds {
		if i > 0 {
			all += template.HTML(word)
		}
		all += kind
	}
	return all
}

func coded(text string) template.HTML {
	return "<code>" + template.HTML(template.HTMLEscapeString(text)) + "</code>"
}

// limitsOf describes the bounds of a value in words.
func limitsOf(schema Part) string {
	if schema.Reference() != "" {
		return ""
	}
	var words []string
	for _, bound := range [...]struct{ least, most, unit string }{
		{"minLength", "maxLength", " characters"}, {"minimum", "maximum", ""}, {"minItems", "maxItems", " of them"},
	} {
		if text := rangeOf(schema.At(bound.least).Text(), schema.At(bound.most).Text(), bound.unit); text != "" {
			words = append(words, text)
		}
	}
	if pattern := schema.At("pattern").Text(); pattern != "" {
		words = append(words, "matches "+pattern)
	}
	if value := schema.At("default").Text(); value != "" {
		words = append(words, value+" without it")
	}
	return strings.Join(words, ", ")
}

func rangeOf(least, most, unit string) string {
	switch {
	case least == "" && most == "":
		return ""
	case most == "":
		return "at least " + least + unit
	case least == "" || least == "0":
		return "at most " + most + unit
	}
	return least + " to " + most + unit
}

// paragraphs splits a text at its empty lines.
func paragraphs(text string) []template.HTML {
	var all []template.HTML
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			all = append(all, markup(paragraph))
		}
	}
	return all
}

var (
	codeMarks   = regexp.MustCompile("`([^`]+)`")
	strongMarks = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// markup converts the Markdown that the document uses to HTML: code and emphasis.
func markup(text string) template.HTML {
	escaped := template.HTMLEscapeString(text)
	escaped = codeMarks.ReplaceAllString(escaped, "<code>$1</code>")
	return template.HTML(strongMarks.ReplaceAllString(escaped, "<strong>$1</strong>"))
}
