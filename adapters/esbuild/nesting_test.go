package esbuild_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/build"
)

// TestSourcesThatWouldOverflowTheStackAreRefused covers sources that would end the
// process without recovery: nesting of every kind, 250,000 levels deep.
func TestSourcesThatWouldOverflowTheStackAreRefused(t *testing.T) {
	const levels = 250_000
	for name, s := range map[string]sources{
		"operators":         {"src/main.tsx": strings.Repeat("!", levels) + "1"},
		"brackets":          {"src/main.tsx": "x=" + strings.Repeat("[", levels) + strings.Repeat("]", levels)},
		"blocks":            {"src/main.tsx": strings.Repeat("{", levels) + strings.Repeat("}", levels)},
		"functions":         {"src/main.tsx": strings.Repeat("a=>", levels) + "1"},
		"elements":          {"src/main.tsx": "x=" + strings.Repeat("<a b={", levels) + "1"},
		"words":             {"src/main.tsx": strings.Repeat("typeof ", levels) + "1"},
		"behind a string":   {"src/main.tsx": `x="` + strings.Repeat(")", levels) + `";` + strings.Repeat("(", levels)},
		"in another module": {"src/main.tsx": "import './a'", "src/a.js": strings.Repeat("!", levels) + "1"},
		"rules":             {"src/main.tsx": "import './a.css'", "src/a.css": strings.Repeat("a{", levels)},
		"data":              {"src/main.tsx": "import './a.json'", "src/a.json": strings.Repeat("[", levels)},
	} {
		for _, mode := range bothModes {
			got := diagnostics(t, request(mode, s))
			if len(got) != 1 || !strings.Contains(got[0].Message, "too large to be built") {
				t.Errorf("%s, mode %s: got %.200v, want it refused", name, mode, got)
			}
		}
	}
	checker := openBuilder(t).(build.SyntaxChecker)
	for _, name := range []string{"a.tsx", "a.ts", "a.js", "a.css"} {
		got, err := checker.Syntax(t.Context(), name, []byte(strings.Repeat("!", levels)))
		if err != nil || len(got) != 1 || !strings.Contains(got[0].Message, "too large") {
			t.Errorf("%s: got %.200v, %v, want it refused", name, got, err)
		}
	}
}

func TestALargeHonestSourceIsBuilt(t *testing.T) {
	s := sources{"src/main.tsx": "export const rows = [" + strings.Repeat("{ name: 'Zug', people: 31345 },\n", 20_000) + "]"}
	wantIn(t, "640 KB of data", ending(result(t, request(build.ModePreview, s)), ".js"), "31345")
}
