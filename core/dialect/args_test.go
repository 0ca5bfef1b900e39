package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core/dialect"
)

func TestArgumentsAreRepairedWhereTheyCanMeanOneThing(t *testing.T) {
	for name, c := range map[string]struct{ given, want string }{
		"an object as it should be":       {`{"path":"a","n":[1,2,{"b":null}]}`, `{"path":"a","n":[1,2,{"b":null}]}`},
		"nothing":                         {"", "{}"},
		"null":                            {"null", "{}"},
		"an empty string":                 {`""`, "{}"},
		"an object in a string":           {`"{\"path\":\"a\"}"`, `{"path":"a"}`},
		"an object in a string in one":    {`"\"{\\\"path\\\":\\\"a\\\"}\""`, `{"path":"a"}`},
		"a code fence":                    {"```json\n{\"path\":\"a\"}\n```", `{"path":"a"}`},
		"a code fence without a language": {"```\n{\"path\":\"a\"}\n```\n", `{"path":"a"}`},
		"a code fence in a string":        {`"` + "```json\\n{\\\"path\\\":\\\"a\\\"}\\n```" + `"`, `{"path":"a"}`},
		"a comma before the end":          {`{"path":"a",}`, `{"path":"a"}`},
		"commas before the ends, spaced":  {"{\"a\":[1, 2 ,\n],\n}", `{"a":[1,2],"x":0}`},
		"a line break in a string":        {"{\"content\":\"a\nb\"}", `{"content":"a\nb"}`},
		"a tab and a return in a string":  {"{\"content\":\"a\tb\r\n\"}", `{"content":"a\tb\r\n"}`},
		"Python's words":                  {`{"a":True,"b":[False, None],"c":"True"}`, `{"a":true,"b":[false,null],"c":"True"}`},
		"braces too many":                 {`{"path":"a"}}]`, `{"path":"a"}`},
		"a line break and a brace more":   {"{\"content\":\"a\nb\"}}", `{"content":"a\nb"}`},
		"the last brace is missing":       {`{"path":"a"`, `{"path":"a"}`},
		"two last braces are missing":     {`{"a":{"b":"c"`, `{"a":{"b":"c"}}`},
		"the brace behind a word":         {`{"a":true`, `{"a":true}`},
		"the brace behind a list":         {`{"a":[1]`, `{"a":[1]}`},
		"commas in strings stay":          {`{"a":",}",}`, `{"a":",}"}`},
		"escaped quotes stay":             {`{"a":"\"},",}`, `{"a":"\"},"}`},
		"several things at once":          {"```json\n{\"a\":\"x\ny\",\"b\":False,\n```", ""},
	} {
		args, broken := dialect.Args(json.RawMessage(c.given))
		switch {
		case c.want == "" && broken == "":
			t.Errorf("%s: got %s, want it refused", name, args)
		case c.want == "":
		case broken != "":
			t.Errorf("%s: got %q, want %s", name, broken, c.want)
		case !sameObject(t, args, strings.Replace(c.want, `,"x":0`, "", 1)):
			t.Errorf("%s: got %s, want %s", name, args, c.want)
		}
	}
}

func sameObject(t *testing.T, got json.RawMessage, want string) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("got %q, which is no JSON: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	first, _ := json.Marshal(a)
	second, _ := json.Marshal(b)
	return string(first) == string(second)
}

func TestArgumentsThatCouldMeanTwoThingsAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ given, says string }{
		"a cut string":                     {`{"path":"a","content":"half of`, "end in the middle"},
		"a cut string behind an escape":    {`{"content":"a\`, "end in the middle"},
		"a string cut behind an inner one": {`{"content":"<a href=\"x\">`, "end in the middle"},
		"a cut list":                       {`{"a":["b"`, "inside a list"},
		"a cut number":                     {`{"n":1`, "inside an object"},
		"a cut after a comma":              {`{"path":"a",`, "inside an object"},
		"a cut after a colon":              {`{"path":`, "inside an object"},
		"a cut word":                       {`{"a":tru`, "inside an object"},
		"a name without a value":           {`{"path"`, "near"},
		"single quotes":                    {`{'path':'a'}`, "near"},
		"names without quotes":             {`{path:"a"}`, "near"},
		"text behind it":                   {`{"path":"a"} and done`, "near"},
		"two objects":                      {`{"path":"a"}{"path":"b"}`, "near"},
		"a missing comma":                  {`{"a":"b" "c":"d"}`, "near"},
		"a quote that is not escaped":      {`{"a":"say "hi""}`, "near"},
		"two commas":                       {`{"a":"b",,}`, "near"},
		"a comma alone":                    {`{,}`, "near"},
		"brackets that do not match":       {`{"a":[1}`, "near"},
		"a comment":                        {"{\"a\":1 // one\n}", "near"},
		"an unknown escape":                {`{"a":"\d"}`, "near"},
		"Python's word in a name":          {`{True:1}`, "near"},
		"a word that only begins like one": {`{"a":Nonesuch}`, "near"},
		"a list":                           {`["a"]`, "a list"},
		"a number":                         {`7`, "a single value"},
		"a sentence":                       {`"the file a"`, "near"},
		"two fences":                       {"```json\n{}\n```\n```json\n{}\n```", "near"},
		"a fence of another language":      {"```yaml\n{}\n```", "near"},
	} {
		args, broken := dialect.Args(json.RawMessage(c.given))
		if !strings.Contains(broken, c.says) || !strings.Contains(broken, "again") {
			t.Errorf("%s: got %q, want words with %q, and what to do", name, broken, c.says)
		}
		if !isUnreadable(args) {
			t.Errorf("%s: got the arguments %s, want an object that no tool takes", name, args)
		}
	}
}

func FuzzArgs(f *testing.F) {
	for _, seed := range []string{"", "null", "{}", `"{}"`, `"x"`, `{"a":`, "\xff", `"\"{}\""`, "```json\n{\"a\":1,}\n```", `{"a":[True,` + "\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, given []byte) {
		args, broken := dialect.Args(given)
		if !json.Valid(args) || args[0] != '{' || broken != "" && !isUnreadable(args) {
			t.Fatalf("got %q and %q for %q, want an object, or one that no tool takes and why", args, broken, given)
		}
		if again, still := dialect.Args(args); broken == "" && (still != "" || string(again) != string(args)) {
			t.Fatalf("got %q and %q for %q, want what was repaired to stay", again, still, args)
		}
	})
}

func isUnreadable(args json.RawMessage) bool {
	var members map[string]string
	return json.Unmarshal(args, &members) == nil && len(members) == 1 && members["unreadable"] != ""
}
