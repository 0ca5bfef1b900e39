// Package conform holds what the API says to its description (OpenAPI 3.1): an
// answer must have a status, headers, a type and a body that the description
// names, and a request that was carried out must be one that the description
// allows. It is for tests only.
package conform

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Description is a compiled description. It is safe for concurrent use.
type Description struct {
	operations []operation
	// unrouted are the answers of no operation: those to unknown paths and methods.
	unrouted map[int]answer
}

// operation is one method of one path.
type operation struct {
	method   string
	segments []string
	// spans means that the last segment matches all following ones.
	spans   bool
	query   map[string]bool
	body    map[string]content
	answers map[int]answer
}

// answer describes the response for one status.
type answer struct {
	headers []string
	content map[string]content
}

// content describes a body of one type. If both fields are nil, any bytes are allowed.
type content struct {
	schema *jsonschema.Schema
	// event is the schema of each event of a stream.
	event *jsonschema.Schema
}

// documentName is the name of the document in the compiler's messages.
const documentName = "atelier:openapi.json"

// Read compiles a valid description. Objects in answers are closed: clients must accept
// unknown members, but the description names them all.
func Read(document []byte) (*Description, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	whole := node{document: value, value: value}
	whole.closeAnswers()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(documentName, value); err != nil {
		return nil, err
	}
	r := &reader{compiler: compiler}
	d := &Description{unrouted: map[int]answer{}}
	for path, item := range whole.at("paths").members() {
		for method, described := range item.members() {
			if method != "parameters" {
				d.operations = append(d.operations, r.operation(path, method, item, described))
			}
		}
	}
	responses := whole.at("components", "responses")
	for status, name := range map[int]string{
		http.StatusBadRequest: "InvalidRequest", http.StatusNotFound: "NotFound", http.StatusMethodNotAllowed: "MethodNotAllowed",
	} {
		d.unrouted[status] = r.answer(responses.at(name))
	}
	return d, r.err
}

// Once returns a function that reads the description on its first call, for all tests of
// a package.
func Once(describe func(version string) ([]byte, error)) func(testing.TB) *Description {
	read := sync.OnceValues(func() (*Description, error) {
		document, err := describe("")
		if err != nil {
			return nil, err
		}
		return Read(document)
	})
	return func(t testing.TB) *Description {
		t.Helper()
		description, err := read()
		if err != nil {
			t.Fatal(err)
		}
		return description
	}
}

// reader compiles parts of a document and keeps the first error.
type reader struct {
	compiler *jsonschema.Compiler
	err      error
}

func (r *reader) operation(path, method string, item, described node) operation {
	o := operation{
		method: strings.ToUpper(method), segments: strings.Split(path, "/"), query: map[string]bool{},
		body: r.contents(described.at("requestBody")), answers: map[int]answer{},
	}
	for _, parameters := range []node{item.at("parameters"), described.at("parameters")} {
		for parameter := range parameters.elements() {
			name := parameter.at("name").text()
			o.query[name] = o.query[name] || parameter.at("in").text() == "query"
			o.spans = o.spans || parameter.at("x-spans-segments").value == true
		}
	}
	for status, response := range described.at("responses").members() {
		code, err := strconv.Atoi(status)
		r.keep(err)
		o.answers[code] = r.answer(response)
	}
	return o
}

func (r *reader) answer(response node) answer {
	// Every answer of the API has a request id.
	a := answer{headers: []string{"X-Request-Id"}, content: r.contents(response)}
	for name, header := range response.at("headers").members() {
		if header.at("required").value == true {
			a.headers = append(a.headers, name)
		}
	}
	return a
}

func (r *reader) contents(holder node) map[string]content {
	all := map[string]content{}
	for media, described := range holder.at("content").members() {
		all[media] = content{schema: r.schema(described.at("schema")), event: r.schema(described.at("x-item-schema"))}
	}
	return all
}

func (r *reader) schema(at node) *jsonschema.Schema {
	if at.value == nil {
		return nil
	}
	schema, err := r.compiler.Compile(documentName + "#" + at.pointer)
	r.keep(err)
	return schema
}

func (r *reader) keep(err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("the description of the API: %w", err)
	}
}
