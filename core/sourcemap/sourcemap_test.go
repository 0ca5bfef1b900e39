package sourcemap

import (
	"regexp"
	"strings"
	"testing"
)

// code matches places in the functions of these tests.
var code = regexp.MustCompile(`(function\.js):(\d+)(?::(\d+))?`)

func TestASourceMapNamesPlacesInTheSources(t *testing.T) {
	// Line 2 of the code: column 1 is a.ts:1:1, column 11 is b.ts:3:5. Line 3: column 5 is a.ts:2:1.
	m := Parse([]byte(`{"version":3,"sources":["functions/a.ts","functions/b.ts"],"mappings":";AAAA,UCEI;IDDJ"}`))
	for text, want := range map[string]string{
		"at f (function.js:2:3)":  "at f (functions/a.ts:1:1)",
		"at f (function.js:2:11)": "at f (functions/b.ts:3:5)",
		"function.js:2:99 x":      "functions/b.ts:3:5 x",
		"function.js:3:1":         "functions/a.ts:2:1",
		"function.js:3":           "functions/a.ts:2:1",
		"function.js:1:1":         "function.js:1:1",
		"function.js:9:1":         "function.js:9:1",
		"function.js:999999999999999999999:1 other.js:2:3": "function.js:999999999999999999999:1 other.js:2:3",
	} {
		if got := Locate(text, code, func(string) *Map { return m }); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	if got := Locate("function.js:2:3", code, func(string) *Map { return nil }); got != "function.js:2:3" {
		t.Errorf("got %q without a map, want the text", got)
	}
}

func FuzzSourceMap(f *testing.F) {
	f.Add(`{"sources":["a"],"mappings":";AAAA,UCEI;IDDJ"}`, "function.js:2:3")
	f.Add(`{"sources":["a"],"mappings":"gggggggggggggggC"}`, "function.js:1:1")
	f.Fuzz(func(t *testing.T, text, stack string) {
		if got := Locate(stack, code, func(string) *Map { return Parse([]byte(text)) }); !strings.Contains(stack, "function.js") && got != stack {
			t.Errorf("got %q for %q", got, stack)
		}
	})
}
