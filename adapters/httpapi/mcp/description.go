package mcp

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
	"github.com/atelierhq/atelier/core"
)

// place says where a member of a tool's input goes in the route's request.
type place int

const (
	inPath place = iota
	inQuery
	inBody
	// asBody is the member that is the whole body, as text.
	asBody
)

// contentMember is the member of tools whose route takes any bytes as its body.
const contentMember = "content"

// operation is a tool with what openapi.yaml says about its route.
type operation struct {
	Tool
	title, about string
	// members are those of the input, and those that are fixed.
	members map[string]place
	// needed are the members without which there is no request.
	needed []string
	// properties are the schemas of the members that programs choose.
	properties map[string]any
	// hasJSON says that the route takes JSON; needsBody that it must have some.
	hasJSON, needsBody bool
}

// describe finds the tool's route in a document. The error has code core.CodeInternal if the
// document does not have it.
func describe(document manual.Part, tool Tool) (operation, error) {
	item := document.At("paths", pathOf(tool.Pattern))
	text := item.At(strings.ToLower(tool.Method))
	if !text.Exists() {
		return operation{}, core.Errorf(core.CodeInternal, "the tool %s has no route in the description of the API", tool.Name)
	}
	d := operation{
		Tool: tool, title: text.At("summary").Text(), about: text.At("description").Text(),
		members: map[string]place{}, properties: map[string]any{},
	}
	for _, parameters := range []manual.Part{item.At("parameters"), text.At("parameters")} {
		for parameter := range parameters.Elements() {
			d.addParameter(parameter)
		}
	}
	d.addBody(text.At("requestBody"))
	return d, nil
}

// pathOf writes a route's pattern as OpenAPI does.
func pathOf(pattern string) string {
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, ":") || strings.HasPrefix(segment, "*") {
			segments[i] = "{" + segment[1:] + "}"
		}
	}
	return strings.Join(segments, "/")
}

// addParameter adds one of the path or the query. Headers have no member.
func (d *operation) addParameter(parameter manual.Part) {
	at, taken := map[string]place{"path": inPath, "query": inQuery}[parameter.At("in").Text()]
	if !taken {
		return
	}
	schema := parameter.At("schema").Value(isForeign)
	if object, is := schema.(map[string]any); is && parameter.At("description").Exists() {
		object["description"] = parameter.At("description").Text()
	}
	d.add(parameter.At("name").Text(), at, schema, parameter.At("required").Text() == "true")
}

func (d *operation) addBody(body manual.Part) {
	if !body.Exists() {
		return
	}
	d.needsBody = body.At("required").Text() == "true"
	schema := body.At("content", "application/json", "schema")
	if d.hasJSON = schema.Exists(); !d.hasJSON {
		d.add(contentMember, asBody, map[string]any{"type": "string", "description": "The whole content, as text."}, d.needsBody)
		return
	}
	required := schema.At("required").Texts()
	for name, member := range schema.At("properties").Members() {
		d.add(name, inBody, member.Value(isForeign), slices.Contains(required, name))
	}
}

func (d *operation) add(name string, at place, schema any, needed bool) {
	if slices.Contains(d.without, name) {
		return
	}
	d.members[name] = at
	if _, fixed := d.fixed[name]; fixed {
		return
	}
	d.properties[name] = schema
	if needed {
		d.needed = append(d.needed, name)
	}
}

// isForeign reports whether a keyword is OpenAPI's or the document's own and not JSON Schema's.
func isForeign(keyword string) bool {
	return keyword == "discriminator" || strings.HasPrefix(keyword, "x-")
}

// schema returns the tool's input as JSON Schema.
func (d *operation) schema() map[string]any {
	schema := map[string]any{"type": "object", "properties": d.properties, "additionalProperties": false}
	if len(d.needed) > 0 {
		schema["required"] = d.needed
	}
	return schema
}

// text is what programs are told about the tool.
func (d *operation) text() string {
	parts := []string{d.title + "."}
	if d.about != "" {
		parts = append(parts, d.about)
	}
	if d.note != "" {
		parts = append(parts, d.note)
	}
	return strings.Join(parts, "\n\n")
}
