package rest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/rest/resttest"

	"github.com/atelierhq/atelier/core"
)

// sample is a request type with everything that one may have.
type sample struct {
	Name     string            `json:"name"`
	Count    int               `json:"count,omitempty"`
	Ratio    float64           `json:"ratio,omitempty"`
	On       bool              `json:"on,omitempty"`
	Folder   *string           `json:"folder,omitempty"`
	Limit    Optional[float64] `json:"limit,omitempty"`
	List     []nestedBody      `json:"list,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Path     *core.ProjectPath `json:"path,omitempty"`
	Anything json.RawMessage   `json:"anything,omitempty"`
	// Inner is not of clients.
	Inner string `json:"-"`
}

type nestedBody struct {
	Op string `json:"op"`
	To string `json:"to,omitempty"`
}

func TestBodiesOfTheRightShapeAreRead(t *testing.T) {
	var got sample
	err := DecodeStrict([]byte(` {"name":"é\ud83d\ude00","count":-3,"ratio":1e3,"on":true,"folder":null,"limit":null,
		"list":[{"op":"a"},{"op":"b","to":"c"}],"labels":{"x":"y"},"path":"src/a.ts","anything":{"deep":[1,{"z":null}]}} `), &got)
	if err != nil {
		t.Fatalf("got %v, want no error", err)
	}
	if got.Name != "é😀" || got.Count != -3 || got.Ratio != 1000 || !got.On || got.Folder != nil || !got.Limit.Present || got.Limit.Value != nil ||
		len(got.List) != 2 || got.List[1].To != "c" || got.Labels["x"] != "y" || got.Path.String() != "src/a.ts" || string(got.Anything) != `{"deep":[1,{"z":null}]}` {
		t.Errorf("got %+v, want every member as sent", got)
	}
	got = sample{}
	for text, want := range map[string]string{`\\ud800`: `\ud800`, `\\\ud83d\ude00\\`: `\😀\`, `\ud83d\ude00\ud83d\ude00`: "😀😀", `\u0041\"\\`: `A"\`} {
		if err := DecodeStrict([]byte(`{"name":"`+text+`"}`), &got); err != nil || got.Name != want {
			t.Errorf("%s: got %q, %v, want %q", text, got.Name, err, want)
		}
	}
	got = sample{}
	if err := DecodeStrict([]byte(`{"name":"","limit":2.5}`), &got); err != nil || *got.Limit.Value != 2.5 || got.Folder != nil {
		t.Errorf("got %+v, %v, want the limit only", got, err)
	}
}

func TestBodiesOfAnotherShapeNameTheMember(t *testing.T) {
	for body, message := range map[string]string{
		`{"name":"x","Inner":"y"}`:     "Inner is not a known field",
		`{"name":"x","-":"y"}`:         "- is not a known field",
		`null`:                         "the body must be an object",
		`[]`:                           "the body must be an object",
		`"name"`:                       "the body must be an object",
		`7`:                            "the body must be an object",
		`[{"name":"a"}]`:               "the body must be an object",
		`{}`:                           "name is missing",
		`{"name":null}`:                "name must be a string",
		`{"name":7}`:                   "name must be a string",
		`{"name":["a"]}`:               "name must be a string",
		`{"name":{"a":1}}`:             "name must be a string",
		`{"name":true}`:                "name must be a string",
		`{"Name":"a"}`:                 "Name is not a known field",
		`{"NAME":"a","name":"b"}`:      "NAME is not a known field",
		`{"name":"a","name":"b"}`:      "name occurs twice",
		`{"name":"a","n\u0061me":"b"}`: "name occurs twice",
		`{"name":"a","__proto__":{}}`:  "__proto__ is not a known field",
		`{"name":"a","":1}`:            " is not a known field",
		`{"name":"a","count":1.5}`:     "count must be a whole number",
		`{"name":"a","count":1e2}`:     "count must be a whole number",
		`{"name":"a","count":"1"}`:     "count must be a whole number",
		`{"name":"a","count":9223372036854775808}`: "count must be a whole number",
		`{"name":"a","ratio":1e999}`:               "ratio must be a number",
		`{"name":"a","on":"true"}`:                 "on must be true or false",
		`{"name":"a","on":0}`:                      "on must be true or false",
		`{"name":"a","limit":"5"}`:                 "limit must be a number",
		`{"name":"a","folder":1}`:                  "folder must be a string",
		`{"name":"a","list":{}}`:                   "list must be a list",
		`{"name":"a","list":null}`:                 "list must be a list",
		`{"name":"a","list":[null]}`:               "list[0] must be an object",
		`{"name":"a","list":[{"op":"b"},{}]}`:      "list[1].op is missing",
		`{"name":"a","list":[{"op":"b","by":1}]}`:  "list[0].by is not a known field",
		`{"name":"a","labels":{"x":1}}`:            "labels.x must be a string",
		`{"name":"a","labels":{"x":"","x":""}}`:    "labels.x occurs twice",
		`{"name":"a","anything":{"x":1,"x":2}}`:    "anything.x occurs twice",
		`{"name":"a","path":7}`:                    "a path must be a string",
	} {
		err := DecodeStrict([]byte(body), &sample{})
		known, _ := err.(*core.Error)
		if known == nil || known.Code != core.CodeInvalidRequest || known.Message != message {
			t.Errorf("%s: got %v, want %s: %s", body, err, core.CodeInvalidRequest, message)
		}
	}
	deep := func(levels int) []byte {
		return []byte(`{"name":"a","anything":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}`)
	}
	if err := DecodeStrict(deep(maxDepth), &sample{}); err != nil {
		t.Errorf("%d levels: got %v, want them read", maxDepth, err)
	}
	if err := DecodeStrict(deep(maxDepth+1), &sample{}); !core.IsCode(err, core.CodeInvalidRequest) {
		t.Errorf("a level more: got %v, want %s", err, core.CodeInvalidRequest)
	}
	if err := DecodeStrict([]byte(`{"name":"a","path":"../x"}`), &sample{}); !core.IsCode(err, core.CodePathTraversal) {
		t.Errorf("a path that escapes: got %v, want %s", err, core.CodePathTraversal)
	}
}

func FuzzDecode(f *testing.F) {
	for _, body := range resttest.HostileBodies() {
		if len(body) < 1000 {
			f.Add(body)
		}
	}
	f.Add(`{"name":"a","count":1,"ratio":1.5,"on":true,"list":[{"op":"x"}],"labels":{"a":"b"},"path":"a/b","limit":null}`)
	f.Fuzz(func(t *testing.T, body string) {
		var got sample
		err := DecodeStrict([]byte(body), &got)
		if core.IsCode(err, core.CodeInternal) {
			t.Errorf("%q: got %v, want a code for the client", body, err)
		}
		if err != nil {
			return
		}
		// The standard decoder accepts everything that the strict one accepts.
		var loose sample
		if err := json.Unmarshal([]byte(body), &loose); err != nil || loose.Name != got.Name {
			t.Errorf("%q: got %+v, want %+v, %v", body, got, loose, err)
		}
	})
}
