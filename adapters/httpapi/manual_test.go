package httpapi

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

func TestTheDescriptionIsServed(t *testing.T) {
	api := newAPI(t, func(d *Deps) { d.Settings.Version = "v9.8.7" })
	for target, kind := range map[string]string{"/openapi.json": "application/json", "/docs": "text/html; charset=utf-8"} {
		got := api.do("GET", target, "")
		got.want(t, target, http.StatusOK, "")
		for name, want := range map[string]string{"Content-Type": kind, "Cache-Control": "public, no-cache", "Vary": "", "X-Content-Type-Options": "nosniff"} {
			if value := got.Header.Get(name); value != want {
				t.Errorf("%s: got %s %q, want %q", target, name, value, want)
			}
		}
		if !strings.Contains(got.body, "v9.8.7") || got.ContentLength != int64(len(got.body)) {
			t.Errorf("%s: got %d of %d bytes, %.100s, want the service's version", target, len(got.body), got.ContentLength, got.body)
		}
		wantKnown(t, api, target, got)
	}
	var document struct {
		OpenAPI string
		Info    struct{ Version string }
	}
	if err := json.Unmarshal([]byte(api.do("GET", "/openapi.json", "").body), &document); err != nil || document.Info.Version != "v9.8.7" {
		t.Errorf("got %+v, %v, want the service's version", document, err)
	}
}

// wantKnown wants 304 for whoever has the answer, and all of it for anybody else,
// whatever part or condition they ask for.
func wantKnown(t *testing.T, api *api, target string, first answer) {
	t.Helper()
	tag := first.Header.Get("ETag")
	for name, c := range map[string]struct {
		header with
		status int
	}{
		"the tag":             {header("If-None-Match", tag), http.StatusNotModified},
		"the tag, weakly":     {header("If-None-Match", "W/"+tag), http.StatusNotModified},
		"the tag among some":  {header("If-None-Match", `"a", `+tag), http.StatusNotModified},
		"any tag":             {header("If-None-Match", "*"), http.StatusNotModified},
		"another tag":         {header("If-None-Match", `"a"`), http.StatusOK},
		"no tag":              {header("If-None-Match", "a"), http.StatusOK},
		"a part":              {header("Range", "bytes=0-1"), http.StatusOK},
		"no such part":        {header("Range", "bytes=999999999-"), http.StatusOK},
		"a failing condition": {header("If-Match", `"a"`), http.StatusOK},
	} {
		got := api.do("GET", target, "", c.header)
		if got.StatusCode != c.status || got.Header.Get("ETag") != tag || (got.body == "") != (c.status == http.StatusNotModified) {
			t.Errorf("%s with %s: got %d with %d bytes and the tag %s, want %d and %s", target, name, got.StatusCode, len(got.body), got.Header.Get("ETag"), c.status, tag)
		}
	}
	if got := api.do("HEAD", target, ""); got.StatusCode != http.StatusOK || got.body != "" || got.ContentLength != first.ContentLength {
		t.Errorf("HEAD %s: got %d with %d bytes of %d, want the headers of GET", target, got.StatusCode, len(got.body), got.ContentLength)
	}
}

// TestVersionsHaveTagsOfTheirOwn keeps a browser from showing an older service.
func TestVersionsHaveTagsOfTheirOwn(t *testing.T) {
	first, second := newDescription("1", ""), newDescription("2", "")
	for name, forms := range map[string][2]func() (rendered, error){"document": {first.document, second.document}, "page": {first.page, second.page}} {
		one, err := forms[0]()
		if err != nil {
			t.Fatal(err)
		}
		if other, err := forms[1](); err != nil || one.tag == other.tag {
			t.Errorf("%s: got the tag %s twice, %v", name, one.tag, err)
		}
	}
}

// TestThePageRunsNothing holds the page to its policy: one style, whose hash the
// policy names, and nothing that a browser would fetch or run.
func TestThePageRunsNothing(t *testing.T) {
	got := newAPI(t).do("GET", "/docs", "")
	styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(got.body, -1)
	if len(styles) != 1 || styles[0][1] != manualCSS {
		t.Errorf("got %d styles, want the one that the policy lets through", len(styles))
	}
	policy := got.Header.Get("Content-Security-Policy")
	if !regexp.MustCompile(`^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox$`).MatchString(policy) {
		t.Errorf("got the policy %q", policy)
	}
	if found := regexp.MustCompile(`(?i)<(script|img|link|iframe|form|object|embed)\b|style=|\son\w+=|javascript:|https?://`).FindString(got.body); found != "" {
		t.Errorf("got %q in the page, want nothing that is fetched or run", found)
	}
}

func TestThePageShowsTheWholeDocument(t *testing.T) {
	document := described(t, openapiYAML)
	page, err := renderManual(document)
	if err != nil {
		t.Fatal(err)
	}
	body := string(page.body)
	eachOperation(document, func(method, pattern string, _, operation part) {
		if id := operation.at("operationId").text(); strings.Count(body, `<article id="`+id+`">`) != 1 {
			t.Errorf("%s %s: got no article for %s, or two", method, pattern, id)
		}
	})
	for name := range document.at("components", "schemas").members() {
		if strings.Count(body, `<article id="schema-`+name+`">`) != 1 {
			t.Errorf("got no article for the schema %s, or two", name)
		}
	}
	for _, link := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if !strings.Contains(body, `id="`+link[1]+`"`) {
			t.Errorf("got a link to #%s, which is not there", link[1])
		}
	}
}

// manualExample is a document with one of everything that the page shows.
const manualExample = `
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
	m := manualOf(described(t, []byte(manualExample)))
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
	page, err := renderManual(described(t, []byte(manualExample)))
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

func TestPlacesThatADocumentHasNot(t *testing.T) {
	document := described(t, []byte("a: {b: [1, 2], c: {$ref: '#/a/d'}}\ne: {$ref: '#/a'}"))
	for _, path := range [][]string{{"x"}, {"a", "x"}, {"a", "b", "x"}, {"a", "c", "x"}, {"a", "b", "0"}} {
		if found := document.at(path...); found.exists() || found.text() != "" || found.texts() != nil || found.reference() != "" {
			t.Errorf("%v: got %+v, want nothing", path, found)
		}
	}
	if got := document.at("e", "b").texts(); strings.Join(got, " ") != "1 2" {
		t.Errorf("got %v behind a reference, want 1 2", got)
	}
}

func TestAnswersThatCannotBeMadeAreInternalErrors(t *testing.T) {
	broken := func() (rendered, error) { return rendered{}, core.Errorf(core.CodeInternal, "no") }
	api := newTable(t, []rest.Route{rest.Open("GET", "/projects/broken", serveRendered(broken))})
	api.do("GET", "/projects/broken", "").want(t, "a document that cannot be made", http.StatusInternalServerError, "internal")
}
