package project

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

func TestComputedImportsAreMadeOpaque(t *testing.T) {
	cases := []struct{ text, want string }{
		{`import('./a')`, `import('./a')`},
		{"import(`./a`)", "import(`./a`)"},
		{`import("./a", { with: { type: 'json' } })`, `import("./a", { with: { type: 'json' } })`},
		{`import(/* webpackChunkName: "a" */ './a')`, `import(/* webpackChunkName: "a" */ './a')`},
		{"import(\n  // why\n  './a'\n)", "import(\n  // why\n  './a'\n)"},
		{`import(name)`, `import(globalThis.__atelier=name)`},
		{"import(`https://x.y/${z}`)", "import(globalThis.__atelier=`https://x.y/${z}`)"},
		{`import('a' + b); import ("c")`, `import(globalThis.__atelier='a' + b); import ("c")`},
		{`import(import(a))`, `import(globalThis.__atelier=import(globalThis.__atelier=a))`},
		{`import x from 'y'; import.meta.url; important(1)`, `import x from 'y'; import.meta.url; important(1)`},
		{`import`, `import`}, {`import(`, `import(globalThis.__atelier=`}, {`import('`, `import(globalThis.__atelier='`},
	}
	for _, c := range cases {
		got := guardModule([]byte(c.text))
		if text := strings.TrimSuffix(string(got.text), asModule); text != c.want || got.at >= 0 {
			t.Errorf("%q: got %q at %d, want %q", c.text, text, got.at, c.want)
		}
	}
}

// TestMethodsMayBeNamedImport: PocketBase's client has such a method.
func TestMethodsMayBeNamedImport(t *testing.T) {
	for _, text := range []string{
		`class A{get x(){}async import(e,t=!1,s){return s}}`, "class A {\n  static import(a) {}\n}", `a={import(){}}`, `a={b,import(...c){}}`, `class A{*import(a){}}`, `class A{a=1;import(b){}}`,
	} {
		if got := guardModule([]byte(text)); strings.TrimSuffix(string(got.text), asModule) != text || got.at >= 0 {
			t.Errorf("%q: got %q at %d, want it unchanged", text, got.text, got.at)
		}
		if got := string(GuardPackage([]byte(text))); got != text {
			t.Errorf("%q: got %q, want it unchanged", text, got)
		}
	}
	for _, text := range []string{
		"class A extends import(a) {}", "class A extends /*;*/import(a) {}", "class A extends // ;\nimport(a) {}", "class A extends // async\rimport(a) {}", ";import(a)\n{}", ";import(a)/*\n*/{}", ";import(<b>){}</b>)", "x(import(a)) {}", ";import(b(c)) {}", ";import(a)",
	} {
		if got := guardModule([]byte(text)); !strings.Contains(string(got.text), opaque) {
			t.Errorf("%q: got %q, want it opaque", text, got.text)
		}
	}
}

func TestRelativeComputedImportsAreReported(t *testing.T) {
	for _, text := range []string{"x; import(`./a/${b}`)", "x; import('./a/' + b)", `x; import(("../a" + b))`, "x; import /* c */ (\n'./a' + b)"} {
		if got := guardModule([]byte(text)); got.at != 3 || got.problem == "" {
			t.Errorf("%q: got %d %q, want a problem at 3", text, got.at, got.problem)
		}
	}
}

func TestPackagesKeepTheirPlainRequires(t *testing.T) {
	text := `var a = require('a'), b = require("./b"); try { require('./locale/' + name) } catch (e) {}`
	want := `var a = require('a'), b = require("./b"); try { require(globalThis.__atelier='./locale/' + name) } catch (e) {}`
	if got := string(GuardPackage([]byte(text))); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzGuardModuleKeepsTheRest(f *testing.F) {
	for _, seed := range []string{"import(a)", "import(`./${b}`)", "import /*", "require(\\u0041", "import?.(x", "import.defer('a'+b)", "import(//"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := guardModule([]byte(text))
		if got.at >= len(text) {
			t.Errorf("got a problem at %d of %d bytes", got.at, len(text))
		}
		if got.at < 0 && !strings.HasPrefix(strings.ReplaceAll(string(got.text), opaque, ""), strings.ReplaceAll(text, opaque, "")) {
			t.Errorf("got %q, want %q with insertions only", got.text, text)
		}
	})
}

func TestCommentsAndTrailingCommasAreNoJSON(t *testing.T) {
	cases := map[string]string{
		`{"a": 1, /* b */ "c": [1, 2, ], // d` + "\n}":    `{"a":1,"c":[1,2]}`,
		`{"a": "// no comment", "b": "/*", "c": "\"//",}`: `{"a":"// no comment","b":"/*","c":"\"//"}`,
		"// only\n{} // end":                              `{}`,
		`[1,]`:                                            `[1]`,
		"\ufeff{} // after a byte order mark":             `{}`,
	}
	for text, want := range cases {
		var compact bytes.Buffer
		if err := json.Compact(&compact, PlainJSON([]byte(text))); err != nil || compact.String() != want {
			t.Errorf("%q: got %q, %v, want %q", text, compact.String(), err, want)
		}
	}
}

func FuzzPlainJSONKeepsOffsets(f *testing.F) {
	for _, seed := range []string{`{"a": 1, /* b */}`, `"\`, `/*`, `//`, `/`, `,]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := PlainJSON([]byte(text))
		if len(got) != len(text) {
			t.Errorf("got %d bytes, want %d", len(got), len(text))
		}
		if json.Valid([]byte(text)) && string(got) != text {
			t.Errorf("got %q, want plain JSON to stay %q", got, text)
		}
	})
}

func TestTagsAreScanned(t *testing.T) {
	cases := []struct {
		raw, tag, name, want string
	}{
		{`<script type="module" src="/a.js">`, "script", "src", "/a.js"},
		{`<SCRIPT SRC='/a.js' defer>`, "script", "src", "/a.js"},
		{"<script\n src = /a.js>", "script", "src", "/a.js"},
		{`<link rel=stylesheet href=a.css/>`, "link", "href", "a.css/"},
		{`<img alt="a > b" src="a.png">`, "img", "src", "a.png"},
		{`<img src=a src=b>`, "img", "src", "a"},
		{`<a href="a?b&amp;c">`, "a", "href", "a?b&c"},
		{`<a data-href="x">`, "a", "href", ""},
		{`<a href>`, "a", "href", ""},
		{`<a href="`, "a", "href", `"`},
	}
	for _, c := range cases {
		tag, attributes := scanTag([]byte(c.raw))
		if got := attributes.value([]byte(c.raw), c.name); tag != c.tag || got != c.want {
			t.Errorf("%s: got %s %q, want %s %q", c.raw, tag, got, c.tag, c.want)
		}
	}
}

func FuzzScanTagStaysInside(f *testing.F) {
	for _, seed := range []string{`<a b=c>`, `<a b="`, `<a =`, `<`, `<a/>`, `<a b = 'c' d>`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if raw == "" {
			return
		}
		_, attributes := scanTag([]byte(raw))
		for name, at := range attributes {
			if at.start < 0 || at.end > len(raw) || at.start >= at.end {
				t.Errorf("%s: got %+v of %d bytes", name, at, len(raw))
			}
		}
	})
}

func FuzzPagesAreRenderedWhole(f *testing.F) {
	f.Add("<!doctype html><head></head><script type=module src=/a.ts></script>")
	f.Add("<script type=module>1</script><link rel=stylesheet href=b.css><p>%MODE%")
	f.Fuzz(func(t *testing.T, text string) {
		src := NewSources(fstest.MapFS{"a.ts": {Data: []byte("1")}, "b.css": {Data: []byte("a{}")}})
		p := parsePage(src, "index.html", []byte(text))
		if len(p.Refs) == 0 && string(p.Render(nil, "", "", nil)) != text {
			t.Errorf("got %q, want a page without references to stay %q", p.Render(nil, "", "", nil), text)
		}
		p.Render(func(Entry) string { return "/built" }, "<script></script>", "<link>", map[string]any{"MODE": "m"})
	})
}

func TestTheEnvironmentIsParsed(t *testing.T) {
	text := "VITE_A=1\r\n VITE_B = two words \nexport VITE_C='x # y' # z\nVITE_D=\"a\\nb\"\nVITE_E=a # b\nVITE_F=\n#VITE_G=1\nOTHER=1\nVITE_H='open\nnonsense\n"
	got := parseEnv(text)
	want := map[string]string{"VITE_A": "1", "VITE_B": "two words", "VITE_C": "x # y", "VITE_D": "a\nb", "VITE_E": "a", "VITE_F": "", "OTHER": "1", "VITE_H": "'open"}
	if !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
