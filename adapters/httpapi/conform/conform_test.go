package conform

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// small is a description with one of everything.
const small = `{
 "openapi": "3.1.1", "info": {"title": "Small", "version": "1"},
 "paths": {
  "/things": {
   "get": {
    "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}],
    "responses": {"200": {"description": "", "headers": {"ETag": {"required": true, "schema": {}}, "Age": {"schema": {}}}, "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}}}}}
   },
   "post": {
    "requestBody": {"content": {"application/json": {"schema": {"type": "object", "additionalProperties": false, "required": ["name"], "properties": {"name": {"type": "string", "maxLength": 5}}}}}},
    "responses": {"201": {"description": "", "content": {"application/json": {"schema": {"allOf": [{"$ref": "#/components/schemas/Thing"}, {"required": ["token"], "properties": {"token": {"type": "string"}}}]}}}}, "400": {"$ref": "#/components/responses/InvalidRequest"}}
   }
  },
  "/things/{id}": {
   "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
   "get": {"responses": {"200": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}, "302": {"description": ""}}},
   "delete": {"responses": {"202": {"description": ""}, "204": {"description": ""}}}
  },
  "/things/events": {"get": {"responses": {"200": {"description": "", "content": {"text/event-stream": {"schema": {"type": "string"}, "x-item-schema": {"$ref": "#/components/schemas/Event"}}}}}}},
  "/files/{path}": {
   "parameters": [{"name": "path", "in": "path", "required": true, "x-spans-segments": true, "schema": {"type": "string"}}],
   "get": {"responses": {"200": {"description": "", "content": {"*/*": {}}}}},
   "head": {"responses": {"200": {"description": "", "headers": {"ETag": {"required": true, "schema": {}}}, "content": {"*/*": {}}}}}
  }
 },
 "components": {
  "responses": {
   "InvalidRequest": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
   "NotFound": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
   "MethodNotAllowed": {"description": "", "headers": {"Allow": {"required": true, "schema": {}}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
  },
  "schemas": {
   "Error": {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}},
   "Thing": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "format": "uuid"}, "parts": {"type": "array", "items": {"oneOf": [{"$ref": "#/components/schemas/Part"}, {"type": "null"}]}}}},
   "Part": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}, "more": {"type": "object", "additionalProperties": true}}},
   "Event": {"type": "object", "required": ["delta"], "properties": {"seq": {"type": "integer"}, "delta": {"type": "string"}}}
  }
 }
}`

// witness is a test that may fail.
type witness struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (w *witness) Helper() {}

func (w *witness) Errorf(format string, values ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, fmt.Sprintf(format, values...))
}

// exchange is a request and the server's response.
type exchange struct {
	method, target, sent string
	status               int
	header, body         string
	// want is part of the complaint, "" for none.
	want string
}

const (
	isJSON = "Content-Type: application/json"
	id     = "0190b2f4-4b1c-7cc2-8b5e-1d2f3a4b5c6d"
)

// play lets a server answer and returns the complaints, and what the client received.
func play(t *testing.T, description *Description, e exchange) (complaints []string, got string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "x")
		for line := range strings.SplitSeq(e.header, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(e.status)
		_, _ = io.WriteString(w, e.body)
	}))
	defer server.Close()
	test := &witness{TB: t}
	client := &http.Client{
		Transport:     description.Transport(test, server.Listener.Addr().String(), server.Client().Transport),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	request, err := http.NewRequestWithContext(t.Context(), e.method, server.URL+e.target, strings.NewReader(e.sent))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return test.failures, string(body)
}

func TestAnswersAreHeldToTheDescription(t *testing.T) {
	description, err := Read([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	thing := `{"id":"` + id + `"}`
	for name, e := range map[string]exchange{
		"a list":                    {"GET", "/things?q=a", "", 200, isJSON + "\nETag: x", "[" + thing + "]\n", ""},
		"a charset":                 {"GET", "/things", "", 200, isJSON + "; charset=utf-8\nETag: x", "[]", ""},
		"HEAD":                      {"HEAD", "/things", "", 200, isJSON + "\nETag: x", "", ""},
		"a missing header":          {"GET", "/things", "", 200, isJSON, "[]", "the header ETag is missing"},
		"a missing request id":      {"GET", "/things", "", 200, isJSON + "\nETag: x\nX-Request-Id: ", "[]", "the header X-Request-Id is missing"},
		"HEAD without a header":     {"HEAD", "/things", "", 200, isJSON, "", "the header ETag is missing"},
		"another type":              {"GET", "/things", "", 200, "ETag: x\nContent-Type: text/html", "[]", "the content type text/html is not described"},
		"no type":                   {"GET", "/things", "", 200, "ETag: x\nContent-Type: ", "[]", "the content type"},
		"an unknown query":          {"GET", "/things?p=a", "", 200, isJSON + "\nETag: x", "[]", "query has p"},
		"no JSON":                   {"GET", "/things", "", 200, isJSON + "\nETag: x", "[", "no JSON"},
		"two values":                {"GET", "/things", "", 200, isJSON + "\nETag: x", "[][]", "no JSON"},
		"a missing member":          {"GET", "/things", "", 200, isJSON + "\nETag: x", "[{}]", "missing property 'id'"},
		"a bad format":              {"GET", "/things/1", "", 200, isJSON, `{"id":"1"}`, "uuid"},
		"a member too many":         {"GET", "/things/1", "", 200, isJSON, `{"id":"` + id + `","secret":1}`, "secret"},
		"one in an element":         {"GET", "/things/1", "", 200, isJSON, `{"id":"` + id + `","parts":[{"size":1,"secret":1}]}`, "secret"},
		"what is open":              {"GET", "/things/1", "", 200, isJSON, `{"id":"` + id + `","parts":[null,{"size":1,"more":{"any":1}}]}`, ""},
		"a bad element":             {"GET", "/things/1", "", 200, isJSON, `{"id":"` + id + `","parts":[{"size":1.5}]}`, "/parts/0"},
		"a redirect with a text":    {"GET", "/things/1", "", 302, "Location: /", "<a>", ""},
		"an unknown status":         {"GET", "/things/1", "", 503, isJSON, `{"error":"x"}`, "no such status"},
		"nothing":                   {"DELETE", "/things/1", "", 204, "", "", ""},
		"nothing yet":               {"DELETE", "/things/1", "", 202, "", "", ""},
		"a body too many":           {"DELETE", "/things/1", "", 202, isJSON, "{}", "there is a body"},
		"a thing with its token":    {"POST", "/things", `{"name":"a"}`, 201, isJSON, `{"id":"` + id + `","token":"t"}`, ""},
		"without its token":         {"POST", "/things", `{"name":"a"}`, 201, isJSON, thing, "token"},
		"a request that is refused": {"POST", "/things", `{"name":"too long"}`, 400, isJSON, `{"error":"x"}`, ""},
		"one that is not":           {"POST", "/things", `{"name":"too long"}`, 201, isJSON, `{"id":"` + id + `","token":"t"}`, "although its body is not as described"},
		"no sent body":              {"POST", "/things", "", 201, isJSON, `{"id":"` + id + `","token":"t"}`, ""},
		"an unknown path":           {"GET", "/nothing", "", 404, isJSON, `{"error":"x"}`, ""},
		"an answer of none":         {"GET", "/nothing", "", 200, isJSON, `{}`, "no such path"},
		"a failure of none":         {"GET", "/nothing", "", 404, isJSON, `{}`, "missing property 'error'"},
		"an unknown method":         {"PUT", "/things", "", 405, isJSON + "\nAllow: GET", `{"error":"x"}`, ""},
		"one that is served":        {"PUT", "/things", "", 200, isJSON, `{}`, "not the method"},
		"a file":                    {"GET", "/files/a/b.txt", "", 200, "Content-Type: text/plain", "any\x00thing", ""},
		"a file of JSON":            {"GET", "/files/a.json", "", 200, isJSON, "{", ""},
		"a file's own HEAD":         {"HEAD", "/files/a.json", "", 200, isJSON, "", "the header ETag is missing"},
		"the path of no file":       {"GET", "/files", "", 404, isJSON, `{"error":"x"}`, ""},
		"events":                    {"GET", "/things/events", "", 200, "Content-Type: text/event-stream", ": open\n\nid: 7\ndata: {\"seq\":7,\"delta\":\"a\"}\n\ndata: {\"delta\":\"b\"}\n\n", ""},
		"a bad event":               {"GET", "/things/events", "", 200, "Content-Type: text/event-stream", "data: {\"delta\":\"b\"}\n\ndata: {\"delta\":1}\n\n", "in the event {\"delta\":1}"},
		"another seq":               {"GET", "/things/events", "", 200, "Content-Type: text/event-stream", "id: 8\ndata: {\"seq\":7,\"delta\":\"a\"}\n\n", `the id "8"`},
		"a seq without an id":       {"GET", "/things/events", "", 200, "Content-Type: text/event-stream", "data: {\"seq\":7,\"delta\":\"a\"}\n\n", `the id ""`},
		"an unknown line":           {"GET", "/things/events", "", 200, "Content-Type: text/event-stream", "event: x\n\n", `the line "event: x"`},
		"an escaped path":           {"GET", "/thing%73", "", 200, isJSON + "\nETag: x", "[]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			complaints, got := play(t, description, e)
			if e.want == "" && len(complaints) > 0 || e.want != "" && (len(complaints) != 1 || !strings.Contains(complaints[0], e.want)) {
				t.Errorf("got %q, want one complaint with %q", complaints, e.want)
			}
			if e.method != http.MethodHead && got != e.body {
				t.Errorf("got the body %q, want %q unchanged", got, e.body)
			}
		})
	}
}

// TestOtherHostsAreNotMinded: a client of the API may look at sites, too.
func TestOtherHostsAreNotMinded(t *testing.T) {
	description, err := Read([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	test := &witness{TB: t}
	client := &http.Client{Transport: description.Transport(test, "api.example", server.Client().Transport)}
	response, err := client.Get(server.URL + "/things")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if len(test.failures) > 0 {
		t.Errorf("got %q, want no complaint", test.failures)
	}
}

// TestABrokenBodyIsLeftToTheClient: a truncated body is no answer.
func TestABrokenBodyIsLeftToTheClient(t *testing.T) {
	description, err := Read([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "x")
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"id"`)
	}))
	defer server.Close()
	test := &witness{TB: t}
	client := &http.Client{Transport: description.Transport(test, server.Listener.Addr().String(), server.Client().Transport)}
	response, err := client.Get(server.URL + "/things/1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if body, err := io.ReadAll(response.Body); err == nil || string(body) != `{"id"` || len(test.failures) > 0 {
		t.Errorf("got %q, %v, %q, want what came, the error, and no complaint", body, err, test.failures)
	}
}

func TestDocumentsThatCannotBeRead(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":         "{",
		"a bad schema":    strings.Replace(small, `"maxLength": 5`, `"maxLength": "5"`, 1),
		"a bad reference": strings.Replace(small, `"#/components/schemas/Thing"`, `"#/components/schemas/Nothing"`, 1),
		"a bad status":    strings.Replace(small, `"204"`, `"2xx"`, 1),
	} {
		if _, err := Read([]byte(text)); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
	if _, err := Read([]byte(small)); err != nil {
		t.Error(err)
	}
}
