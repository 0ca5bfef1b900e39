package tailwind_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

func TestWithoutLayers(t *testing.T) {
	const head = "@layer properties;\n@layer theme, preflight, base, components, utilities;\n@layer theme { :root { --a: 1 } }\n"
	for name, c := range map[string]struct {
		css, want string
		bare      bool
	}{
		"no layers":              {"a { b: c }", "a { b: c }", false},
		"rules stay in place":    {head + "x {}\n@layer preflight { p {} }\n@layer utilities { .u {} }\ny { z {} }", "@layer properties; :root { --a: 1 } x {} p {} .u {} y { z {} }", false},
		"a base after utilities": {"@layer preflight { p {} } @layer utilities { .u {} } @layer base { h1 {} } a {} @layer base { h2 {} }", "p {} h1 {} h2 {} .u {} a {}", false},
		"components come before": {"@layer utilities { .u {} } @layer components { .c {} } @layer utilities { .v {} }", ".c {} .u {} .v {}", false},
		"without utilities":      {"@layer base { b {} } @layer components { .c {} }", "b {} .c {}", false},
		"without the preflight":  {"@layer preflight { p {} } @layer base { h1 {} }", "h1 {}", true},
		"layers of others":       {"@layer mine { a {} } @layer utilities { .u {} } @layer properties { b {} }", "@layer mine { a {} } .u {} @layer properties { b {} }", false},
		"braces in texts":        {"@layer utilities { .u { content: \"}\" } /* } */ .v {} }", ".u { content: \"}\" } /* } */ .v {}", false},
		"unfinished":             {"a {} @layer utilities { .u {", "a {} @layer utilities { .u {", false},
	} {
		if got := strings.Join(strings.Fields(tailwind.WithoutLayers(c.css, c.bare)), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
