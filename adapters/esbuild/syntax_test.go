package esbuild_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/build/buildtest"
)

func TestSyntaxChecker(t *testing.T) {
	buildtest.RunSyntaxChecker(t, func(t *testing.T) build.SyntaxChecker { return openBuilder(t).(build.SyntaxChecker) })
}

// Mistakes that only a real parser finds.
func TestSyntaxFindsWhatTheEndCutsOff(t *testing.T) {
	checker := openBuilder(t).(build.SyntaxChecker)
	for name, texts := range map[string][]string{
		"a.ts":   {"export const a =", "import { a } from", "let a = 1;\nlet a = 2;", "if (a) {} else", "const a: "},
		"a.tsx":  {"export const a = <p>b</p", "export const a = <p>b</i>", "const a = <>"},
		"a.css":  {"a { color", "a { color: red;\n  b", "a", "a,", "a::", "@media (width > 3px)", "@import 'x", "a { b: url(x", "a { b: \"x"},
		"a.json": {"{} {}", "{'a': 1}", "{\"a\": 1,}", "// a\n{}"},
		"a.html": {"<p>a</p><", "<p>a</", "<textarea>a", "<div><span>a</span>", "<a href=\"b>c</a>", "<!-->a<!-- b>"},
	} {
		for _, text := range texts {
			found, err := checker.Syntax(t.Context(), name, []byte(text))
			if err != nil || len(found) == 0 {
				t.Errorf("%s: got %+v, %v for %q, want a diagnostic", name, found, err, text)
			}
		}
	}
}

func FuzzSyntaxEndsOnEverySource(f *testing.F) {
	for _, seed := range []string{"<", "</", "<!-", "<a b", "{", "/*", "`${", "@import \"", "a{b:url(", "\ufeff", "\"\\"} {
		f.Add(seed)
	}
	builder, err := esbuild.New(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.tsx", "a.css", "a.json", "tsconfig.json", "a.html"} {
			found, err := builder.Syntax(t.Context(), name, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range found {
				if d.Path != name || d.Line < 0 || d.Column < 0 || d.Message == "" {
					t.Errorf("got %+v, want a place in %s and a message", d, name)
				}
			}
		}
	})
}
