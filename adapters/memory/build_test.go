package memory_test

import (
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/build/buildtest"
	"github.com/atelierhq/atelier/ports/scaffold/scaffoldtest"
)

func TestBuilder(t *testing.T) {
	buildtest.RunBuilder(t, func(*testing.T) build.Builder { return memory.NewBuilder() })
}

func TestTemplates(t *testing.T) { scaffoldtest.Run(t, memory.NewTemplates()) }

func TestBuilderTakesEveryTemplate(t *testing.T) {
	templates := memory.NewTemplates()
	for _, template := range templates.List() {
		files, err := templates.Files(template.ID)
		if err != nil {
			t.Fatal(err)
		}
		result, err := memory.NewBuilder().Build(t.Context(), build.Request{Mode: build.ModeSite, Files: files})
		if err != nil || len(result.Diagnostics) > 0 {
			t.Errorf("%s: got error %v, diagnostics %+v, want neither", template.ID, err, result.Diagnostics)
		}
	}
}

func TestBuilderFindsOnlyWhatIsBroken(t *testing.T) {
	cases := []struct {
		name, path, text string
		want             core.Diagnostic
	}{
		{"sound TSX", "a.tsx", "const a = <p title={`${b[0]}`}>Don't {c /* ( */} http://x.y</p> // }\n", core.Diagnostic{}},
		{"strings", "a.ts", "const a = '(' + \"[\" + '\\'{' + `\\`{ ${ `(` } [`\n", core.Diagnostic{}},
		{"a regular expression", "a.ts", "const a = b.replace(/[/)(]\\//g, '')\n", core.Diagnostic{}},
		{"a division", "a.ts", "const a = (b / c) / (d / e)\n", core.Diagnostic{}},
		{"a comment in CSS", "a.css", "/* { */ a { background: url(//x.y/z) }\n", core.Diagnostic{}},
		{"a comment in tsconfig.json", "tsconfig.json", "{ // hello\n}", core.Diagnostic{}},
		{"an open brace", "a.ts", "function a() {\n  if (b) {\n}\n", core.Diagnostic{Path: "a.ts", Line: 1, Column: 14, Message: `'{' is never closed`}},
		{"a brace too many", "a.css", "a { b: c }\n}\n", core.Diagnostic{Path: "a.css", Line: 2, Column: 1, Message: `unexpected '}'`}},
		{"an open template", "a.ts", "const a = `b\n", core.Diagnostic{Path: "a.ts", Line: 1, Column: 11, Message: "'`' is never closed"}},
		{"an empty JSON", "a.json", "", core.Diagnostic{Path: "a.json", Line: 1, Column: 1, Message: "this is not valid JSON"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			files := fstest.MapFS{"index.html": {Data: []byte("<p>")}, c.path: {Data: []byte(c.text)}}
			result, err := memory.NewBuilder().Build(t.Context(), build.Request{Mode: build.ModePreview, Files: files})
			if err != nil {
				t.Fatal(err)
			}
			var got core.Diagnostic
			if len(result.Diagnostics) > 0 {
				got = result.Diagnostics[0]
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func FuzzBuilderEndsOnEverySource(f *testing.F) {
	for _, seed := range []string{"const a = `${(b)}`", "/[/", "'", "\\", "/*", "`\\", "${"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range []string{"a.ts", "a.css", "a.json"} {
			files := fstest.MapFS{"index.html": {Data: []byte("<p>")}, path: {Data: []byte(text)}}
			result, err := memory.NewBuilder().Build(t.Context(), build.Request{Files: files})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range result.Diagnostics {
				if d.Path != path || d.Line < 1 || d.Column < 1 {
					t.Errorf("got %+v, want a place in %s", d, path)
				}
			}
		}
	})
}
