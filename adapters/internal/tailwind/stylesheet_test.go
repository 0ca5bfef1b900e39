package tailwind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

func TestDirectiveTellsSheetsForTailwind(t *testing.T) {
	for css, want := range map[string]int{
		`@import "tailwindcss";`:                              0,
		"/* c */ @import 'tailwindcss/theme' layer(theme);":   8,
		"a{}\n@tailwind base;":                                4,
		"a { @apply p-4 }":                                    4,
		"@theme { --a: b }":                                   0,
		"a { color: theme(colors.red) }":                      10,
		"a { margin: --spacing(4) }":                          12,
		"a { color: red } /* @apply p-4; */":                  -1,
		"@import './base.css'; @media print { a { b: c } }":   -1,
		"a { color: var(--theme); x: my-theme(1) } .theme(a)": -1,
		`@import "tailwindcss-like";`:                         -1,
	} {
		if got := tailwind.Directive([]byte(css)); got != want {
			t.Errorf("%s: got %d, want %d", css, got, want)
		}
	}
}

func TestImportsAreFoundInEveryForm(t *testing.T) {
	css := "@import \"a.css\";\n@import './b.css' layer(x);\n@import url(c.css) screen; @import url( \"d.css\" ); /* @import 'no.css'; */"
	if got, want := fmt.Sprint(tailwind.Imports([]byte(css))), "[a.css ./b.css c.css d.css]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAddressesMoveWithTheirSheet(t *testing.T) {
	css := `a { b: url(x.png) url("./y z.png") url('../u.png?q#h'); c: url(/root.png) url(#id) url(data:x) url(https://h/x.png) } /* url(no.png) */ @font-face { src: url(f.woff2) format("woff2") }`
	want := `a { b: url("m/x.png") url("m/./y z.png") url("m/../u.png?q#h"); c: url(/root.png) url(#id) url(data:x) url(https://h/x.png) } /* url(no.png) */ @font-face { src: url("m/f.woff2") format("woff2") }`
	if got := tailwind.Move(css, func(address string) string { return "m/" + address }); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRelativeFindsTheWay(t *testing.T) {
	for _, c := range [][3]string{
		{"src", "src/a.png", "./a.png"}, {"src", "src/x/a.png", "./x/a.png"}, {"src/x", "src/a.png", "../a.png"}, {".", "a.png", "./a.png"},
		{"a/b", "c/d.png", "../../c/d.png"}, {"src", "src", "../src"},
	} {
		if got := tailwind.Relative(c[0], c[1]); got != c[2] {
			t.Errorf("from %s to %s: got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

func TestImportsOfOtherHostsComeFirst(t *testing.T) {
	css := "@layer a;\n@import url(\"https://h/x?a;b\") layer(x);\n.a {\n  color: red;\n}\n"
	if got, want := tailwind.HoistImports(css), "@import url(\"https://h/x?a;b\") layer(x);\n@layer a;\n.a {\n  color: red;\n}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestModernizeKeepsLines(t *testing.T) {
	css := "@tailwind base;\n@tailwind components;\n@tailwind utilities;\n@layer components {\n  .btn { @apply p-4; }\n  .btn:hover { color: red }\n  .a .b { color: red }\n  .none { }\n}\n@screen md { .x { color: red } }\n"
	got := string(tailwind.Modernize([]byte(css), true, "/tailwind.config.js"))
	if want := strings.Count(css, "\n"); strings.Count(got, "\n") != want {
		t.Errorf("got %q, want %d lines", got, want)
	}
	wantIn(t, got, `@config "/tailwind.config.js";`, `@import "tailwindcss/preflight.css" layer(preflight);`, `@import "tailwindcss/v3base.css" layer(preflight);`+"\n\n", "@utility btn { @apply p-4; } @layer components {", "@utility btn { &:hover { color: red } }", "\n  .a .b { color: red }\n  .none { }", "@media (width >= theme(screens.md)) { .x")
	compiled(t, got, loadsWithConfig(), "hover:btn")
}

func loadsWithConfig() loads {
	return loads{scripts: map[string]string{"/tailwind.config.js": "module.exports = {}"}}
}

func TestAnOldSheetKeepsWhatTheThirdVersionDid(t *testing.T) {
	got := compiled(t, string(tailwind.Modernize([]byte("@tailwind base;@tailwind components;@tailwind utilities;\n@layer components { .btn { padding: 1px } .btn:hover { color: red } .btn { margin: 1px } }"), true, "")), loadsWithConfig(),
		"md:btn", "rounded-sm", "shadow-sm", "ring", "flex-shrink-0")
	wantIn(t, got, "border-color: #e5e7eb", "cursor: pointer", "border-radius: var(--radius-sm)", "--radius-sm: 0.125rem", "calc(3px + var(--tw-ring-offset-width))", `.md\:btn`, "flex-shrink: 0", "margin: 1px", "padding: 1px")
}

func TestOldAndNewSheetsAreToldApart(t *testing.T) {
	for css, want := range map[string]string{
		"@tailwind base;": "true false", "@import 'tailwindcss/base';": "true false", "@tailwind utilities;": "false false",
		`@import "tailwindcss";`: "false true", "@theme { }": "false true", "@apply p-4;": "false false", "/* @tailwind base; */": "false false",
	} {
		if got := fmt.Sprint(tailwind.IsLegacy([]byte(css)), tailwind.IsModern([]byte(css))); got != want {
			t.Errorf("%s: got %s, want %s", css, got, want)
		}
	}
}

func TestFindPrefersWhereAWordIsApplied(t *testing.T) {
	css := "/* no-such */ .no-such-a { }\n.no-such { @apply p-4 no-such; }"
	if got, want := tailwind.Find([]byte(css), "no-such"), strings.LastIndex(css, "no-such"); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if got := tailwind.Find([]byte(css), "elsewhere"); got != -1 {
		t.Errorf("got %d, want -1", got)
	}
}
