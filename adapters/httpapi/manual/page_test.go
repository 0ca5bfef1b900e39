package manual

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// example is a document with one of everything that the page shows.
const example = `
info: {title: <T>, version: "1", description: "One **bold** thing.\n\nAnother with ` + "`<code>`" + `."}
tags: [{name: Things, description: About things.}]
paths:
  /things/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    patch:
      operationId: changeThing
      tags: [Things]
      summary: Change it
      security: [{accessToken: []}, {apiToken: ['things:write']}, {cookie: []}]
      x-role: admin
      requestBody: {content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: [string, 'null'], maxLength: 5, default: x}, parts: {type: array, items: {type: object, properties: {size: {type: integer, minimum: 1}}}}}}}}}
      responses:
        '200': {description: It., headers: {ETag: {schema: {type: string}}}, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}, text/event-stream: {schema: {type: string}, x-item-schema: {$ref: '#/components/schemas/Thing'}}}}
        '404': {description: Gone., content: {application/json: {schema: {allOf: [{$ref: '#/components/schemas/Thing'}, {properties: {error: {enum: [not_found]}}}]}}}}
components:
  parameters: {Id: {name: id, in: path, required: true, schema: {type: string, format: uuid}}}
  schemas: {Thing: {oneOf: [{type: string, const: a}, {type: string, enum: [b, c]}]}}
`

func TestThePageOfAnExample(t *testing.T) {
	m := dataOf(parsed(t, []byte(example)))
	operation := m.Sections[0].Operations[0]
	failure := operation.Failures[0]
	for what, pair := range map[string][2]string{
		"the text":           {string(m.About[0]) + string(m.About[1]), "One <strong>bold</strong> thing.Another with <code>&lt;code&gt;</code>."},
		"the target":         {operation.Method + " " + operation.Path, "PATCH /things/{id}"},
		"callers":            {operation.Callers + "; " + string(operation.Tokens), "For admins of the workspace; API tokens need the scope <code>things:write</code>"},
		"the parameter":      {shown(operation.Parameters), "id in path uuid required"},
		"the body":           {shown(operation.Body[0].Fields), "name string or null required at most 5 characters, x without it, parts list of objects (size integer at least 1)"},
		"the answer":         {operation.Answers[0].Media + " " + string(operation.Answers[0].Kind) + " " + operation.Answers[0].Headers[0].Name, `application/json <a href="#schema-Thing">Thing</a> ETag`},
		"the stream":         {string(operation.Answers[1].Kind), `events, each <a href="#schema-Thing">Thing</a>`},
		"the failure":        {failure.Status + " " + strings.Join(failure.Codes, " "), "404 not_found"},
		"the named schema":   {m.Shapes[0].Name + ": " + string(m.Shapes[0].Kind), "Thing: <code>a</code> or <code>b</code> or <code>c</code>"},
		"the title, raw":     {m.Title, "<T>"},
		"the failure's body": {string(failure.About), "Gone."},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %s, want %s", what, pair[0], pair[1])
		}
	}
	page, err := renderPage(parsed(t, []byte(example)))
	if err != nil || !strings.Contains(string(page.body), "<h1>&lt;T&gt; API</h1>") {
		t.Errorf("got %v, want the title escaped", err)
	}
}

// shown writes fields in one line.
func shown(fields []field) string {
	all := make([]string, len(fields))
	for i, f := range fields {
		words := []string{f.Name}
		if f.Place != "" {
			words = append(words, "in", f.Place)
		}
		words = append(words, string(f.Kind))
		if f.Required {
			words = append(words, "required")
		}
		if f.Limits != "" {
			words = append(words, f.Limits)
		}
		if f.Fields != nil {
			words = append(words, "("+shown(f.Fields)+")")
		}
		all[i] = strings.Join(words, " ")
	}
	return strings.Join(all, ", ")
}

func TestWhoMayCall(t *testing.T) {
	for security, want := range map[string]string{
		"[{accessToken: []}, {apiToken: [x]}]": "For everybody who is signed in; API tokens need the scope <code>x</code>",
		"[{accessToken: []}, {apiToken: []}]":  "For everybody who is signed in; with any API token",
		"[{accessToken: []}]":                  "For everybody who is signed in; not with an API token",
		"[]":                                   "For everybody; ",
	} {
		callers, tokens := callersOf(parsed(t, []byte("security: "+security)))
		if got := callers + "; " + string(tokens); got != want {
			t.Errorf("%s: got %q, want %q", security, got, want)
		}
	}
}

// TestAValueHasItsReferencesInPlace is about what is handed to programs.
func TestAValueHasItsReferencesInPlace(t *testing.T) {
	document := parsed(t, []byte("a: {b: [1, true, null, 'x', 1.5], c: {$ref: '#/d'}, x-c: 1}\nd: {e: {$ref: '#/d'}}"))
	got, err := json.Marshal(document.At("a").Value(func(name string) bool { return strings.HasPrefix(name, "x-") }))
	if want := `{"b":[1,true,null,"x",1.5],"c":{"e":{"e":`; err != nil || !strings.HasPrefix(string(got), want) || len(got) > 1000 {
		t.Errorf("got %s, %v, want %s and an end", got, err, want)
	}
}

func TestPlacesThatADocumentHasNot(t *testing.T) {
	document := parsed(t, []byte("a: {b: [1, 2], c: {$ref: '#/a/d'}}\ne: {$ref: '#/a'}"))
	for _, path := range [][]string{{"x"}, {"a", "x"}, {"a", "b", "x"}, {"a", "c", "x"}, {"a", "b", "0"}} {
		if found := document.At(path...); found.Exists() || found.Text() != "" || found.Texts() != nil || found.Reference() != "" {
			t.Errorf("%v: got %+v, want nothing", path, found)
		}
	}
	if got := document.At("e", "b").Texts(); strings.Join(got, " ") != "1 2" {
		t.Errorf("got %v behind a reference, want 1 2", got)
	}
}

// TestYAMLThatJSONCannotSayIsRefused covers YAML that the document must not use.
func TestYAMLThatJSONCannotSayIsRefused(t *testing.T) {
	for _, text := range []string{"a: &x 1\nb: *x", "a: .inf", "a: [1, .nan]", "a: {b: !!binary '%'}"} {
		if out, err := appendJSON(nil, parsed(t, []byte(text)).node); core.CodeOf(err) != core.CodeInternal {
			t.Errorf("%q: got %s, %v, want code internal", text, out, err)
		}
	}
	if _, err := Parse([]byte("a: [")); core.CodeOf(err) != core.CodeInternal {
		t.Errorf("got %v, want code internal", err)
	}
}

func parsed(t *testing.T, text []byte) Part {
	t.Helper()
	document, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return document
}
