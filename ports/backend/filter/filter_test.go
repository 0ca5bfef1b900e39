package filter_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend/filter"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"a=1":                                   "a = 1",
		"a = 1 && b = 2 || c = 3":               "(a = 1 && b = 2) || c = 3",
		"a = 1 && (b = 2 || c = 3)":             "a = 1 && (b = 2 || c = 3)",
		"((a=1))":                               "a = 1",
		`a ?!~ "it's"`:                          `a ?!~ 'it\'s'`,
		"a.b.c:each ?>= -1.5":                   "a.b.c:each ?>= -1.5",
		"@request.auth.id != '' // a guest":     "@request.auth.id != ''",
		"// first\na = @now":                    "a = @now",
		`a = 'x\n\q'`:                           `a = 'x\n\\q'`,
		"geoDistance(at.lon, at.lat, 1, 2) < 5": "geoDistance(at.lon, at.lat, 1, 2) < 5",
		"f() = null":                            "f() = null",
		"tags_via_post.name ~ 'é\x00'":          "tags_via_post.name ~ 'é\x00'",
	} {
		node, err := filter.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := filter.Format(node); got != want {
			t.Errorf("%q was read as %q, want %q", text, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":             "",
		"space":               " \n// only words",
		"no right side":       "a =",
		"no operator":         "a",
		"two operators":       "a = = 1",
		"an unknown operator": "a === 1",
		"a question mark":     "a ? 1",
		"one ampersand":       "a = 1 & b = 2",
		"no second part":      "a = 1 &&",
		"no joint":            "a = 1 b = 2",
		"an open parenthesis": "(a = 1",
		"a closing one":       "a = 1)",
		"an open text":        "a = 'x",
		"a bare dot":          "a. = 1",
		"a minus":             "a = -",
		"half a number":       "a = 1.",
		"SQL":                 "a = 1; DROP TABLE x",
		"a huge number":       "a = 1" + strings.Repeat("0", 400),
		"deep nesting":        strings.Repeat("(", 10_000) + "a=1" + strings.Repeat(")", 10_000),
		"deep calls":          strings.Repeat("f(", 10_000) + "1" + strings.Repeat(")", 10_000) + "=1",
		"many comparisons":    strings.Repeat("a=1||", filter.MaxComparisons) + "a=1",
		"many arguments":      "f(" + strings.Repeat("1,", filter.MaxArguments) + "1)=1",
		"a long text":         "a = '" + strings.Repeat("x", filter.MaxBytes) + "'",
		"a call without end":  "f(1",
		"no comma":            "f(1 2) = 1",
	} {
		if node, err := filter.Parse(text); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, %v, want code %s", name, node, err, core.CodeValidationFailed)
		}
	}
}

func TestPath(t *testing.T) {
	names, modifier := filter.Operand{Kind: filter.Name, Text: "@request.body.tags:each"}.Path()
	if strings.Join(names, " ") != "@request body tags" || modifier != "each" {
		t.Errorf("got %q, %q", names, modifier)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a = 1", `(a ?= "x" || b.c:each !~ 'y') && @now > d`, "f(1, g('2'), x) <= -0.5 // end", "a='\\'", "\xff", "a=0."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		node, err := filter.Parse(text)
		if err != nil {
			if !core.IsCode(err, core.CodeValidationFailed) {
				t.Fatalf("%q returned %v", text, err)
			}
			return
		}
		formatted := filter.Format(node)
		if len(formatted) > filter.MaxBytes {
			return
		}
		again, err := filter.Parse(formatted)
		if err != nil {
			t.Fatalf("%q was formatted as %q: %v", text, formatted, err)
		}
		if got := filter.Format(again); got != formatted {
			t.Fatalf("%q was formatted as %q, and then as %q", text, formatted, got)
		}
	})
}
