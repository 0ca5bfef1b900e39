package mcp

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
	"github.com/atelierhq/atelier/core"
)

// example has one of everything that becomes a member of a tool.
const example = `
paths:
  /things/{id}/parts/{path}:
    parameters:
      - $ref: '#/components/parameters/Id'
      - {name: path, in: path, required: true, x-spans-segments: true, schema: {type: string}}
    patch:
      summary: Change a part
      description: It stays.
      parameters:
        - {name: dry, in: query, description: Only try., schema: {type: boolean, default: false}}
        - {name: If-Match, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [size]
              properties:
                size: {type: integer, minimum: 1}
                kind: {oneOf: [{$ref: '#/components/schemas/Kind'}, {type: 'null'}], discriminator: {propertyName: x}, x-more: true}
                accept: {type: boolean}
                detach: {type: boolean}
    put:
      summary: Write a part
      requestBody: {required: true, content: {'*/*': {}}}
components:
  parameters: {Id: {name: id, in: path, required: true, description: Which thing., schema: {$ref: '#/components/schemas/Id'}}}
  schemas:
    Id: {type: string, format: uuid}
    Kind: {type: string, enum: [a, b]}
    Tree: {type: object, properties: {child: {$ref: '#/components/schemas/Tree'}}}
`

const pattern = "/things/:id/parts/*path"

func documentOf(t *testing.T, text string) manual.Part {
	t.Helper()
	document, err := manual.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func operationOf(t *testing.T, tool Tool) *operation {
	t.Helper()
	made, err := describe(documentOf(t, example), tool)
	if err != nil {
		t.Fatal(err)
	}
	return &made
}

func changing() Tool {
	return Tool{Name: "change", Method: http.MethodPatch, Pattern: pattern, fixed: map[string]any{"detach": true}, without: []string{"accept"}, note: "Mind the gap."}
}

func TestAToolTakesWhatItsRouteTakes(t *testing.T) {
	for name, c := range map[string]struct {
		tool Tool
		want string
	}{
		"JSON":  {changing(), `{"additionalProperties":false,"properties":{"dry":{"default":false,"description":"Only try.","type":"boolean"},"id":{"description":"Which thing.","format":"uuid","type":"string"},"kind":{"oneOf":[{"enum":["a","b"],"type":"string"},{"type":"null"}]},"path":{"type":"string"},"size":{"minimum":1,"type":"integer"}},"required":["id","path","size"],"type":"object"}`},
		"bytes": {Tool{Name: "write", Method: http.MethodPut, Pattern: pattern}, `{"additionalProperties":false,"properties":{"content":{"description":"The whole content, as text.","type":"string"},"id":{"description":"Which thing.","format":"uuid","type":"string"},"path":{"type":"string"}},"required":["id","path","content"],"type":"object"}`},
	} {
		got, err := json.Marshal(operationOf(t, c.tool).schema())
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, c.want)
		}
	}
	if got, want := operationOf(t, changing()).text(), "Change a part.\n\nIt stays.\n\nMind the gap."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := describe(documentOf(t, example), Tool{Name: "none", Method: http.MethodGet, Pattern: pattern}); core.CodeOf(err) != core.CodeInternal {
		t.Errorf("got %v for a tool without a route, want internal", err)
	}
}

func TestACallIsARequest(t *testing.T) {
	for name, c := range map[string]struct {
		tool                       Tool
		arguments                  string
		method, target, kind, body string
	}{
		"all": {changing(), `{"id":"a/b","path":"x y/ü#.txt","dry":true,"size":3}`, "PATCH", "/base/things/a%2Fb/parts/x%20y/%C3%BC%23.txt?dry=true", "application/json", `{"detach":true,"size":3}`},
		// The route says what is wrong with a value.
		"values of another type": {changing(), `{"id":5,"path":"..","dry":"maybe & more","size":"big"}`, "PATCH", "/base/things/5/parts/..?dry=maybe+%26+more", "application/json", `{"detach":true,"size":"big"}`},
		"a member is missing":    {changing(), `{"id":"a","path":"p"}`, "PATCH", "/base/things/a/parts/p", "application/json", `{"detach":true}`},
		"bytes":                  {Tool{Name: "write", Method: http.MethodPut, Pattern: pattern}, `{"id":"a","path":"p","content":"<p>\n"}`, "PUT", "/base/things/a/parts/p", "application/octet-stream", "<p>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			made := operationOf(t, c.tool)
			given, err := made.read([]byte(c.arguments))
			if err != nil {
				t.Fatal(err)
			}
			r, err := made.request(t.Context(), "/base", given)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			if r.Method != c.method || r.URL.RequestURI() != c.target || r.Header.Get("Content-Type") != c.kind || string(body) != c.body {
				t.Errorf("got %s %s with %s %q, want %s %s with %s %q", r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), body, c.method, c.target, c.kind, c.body)
			}
		})
	}
}

func TestArgumentsThatMakeNoRequest(t *testing.T) {
	for _, text := range []string{`[]`, `"x"`, `{`, `{"id":"a"}`, `{"id":"a","path":"p","size":1,"accept":true}`, `{"id":"a","path":"p","size":1,"detach":false}`, `{"id":"a","path":"p","size":1,"If-Match":"x"}`, `{"id":null,"path":"p"}`, `{"id":{},"path":"p"}`} {
		made := operationOf(t, changing())
		given, err := made.read([]byte(text))
		if err == nil {
			_, err = made.request(t.Context(), "", given)
		}
		if core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s: got %v, want invalid_request", text, err)
		}
	}
}

// TestAFixedMemberThatIsInThePathIsNotAsked: the environment of test data, for example.
func TestAFixedMemberThatIsInThePathIsNotAsked(t *testing.T) {
	made := operationOf(t, Tool{Name: "write", Method: http.MethodPut, Pattern: pattern, fixed: map[string]any{"id": "test"}})
	given, err := made.read([]byte(`{"path":"p","content":""}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := made.request(t.Context(), "", given)
	if err != nil || r.URL.Path != "/things/test/parts/p" {
		t.Errorf("got %v, %v, want the fixed id", r, err)
	}
	if _, err := made.read([]byte(`{"id":"live","path":"p","content":""}`)); core.CodeOf(err) != core.CodeInvalidRequest {
		t.Errorf("got %v for another value, want invalid_request", err)
	}
}

// TestASchemaThatContainsItselfHasAnEnd is about the depth to which references are followed.
func TestASchemaThatContainsItselfHasAnEnd(t *testing.T) {
	text, err := json.Marshal(documentOf(t, example).At("components", "schemas", "Tree").Value(isForeign))
	if err != nil || len(text) > 2000 {
		t.Errorf("got %d bytes, %v, want an end", len(text), err)
	}
}
