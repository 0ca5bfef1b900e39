package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTheStudioHasNoLiterals(t *testing.T) {
	t.Parallel()
	if err := checkLiterals(os.DirFS(filepath.Join(sources, "web"))); err != nil {
		t.Error(err)
	}
}

func TestLiteralsAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, content string
		want          []string
	}{
		"a length":            {"styles/a.css", ".a {\n  margin: 0 12px;\n}\n", []string{"styles/a.css:2:13: 12px"}},
		"a part of a pixel":   {"styles/a.css", "a{inset:-1px auto .5px}", []string{"styles/a.css:1:10: 1px", "styles/a.css:1:19: .5px"}},
		"a weight":            {"styles/a.css", "a { font-weight: 620; }", []string{"styles/a.css:1:5: font-weight: 620;"}},
		"a length in a query": {"styles/a.css", "@media (max-width: 640px) and (min-width: 10px) { a { top: 3px; } }", []string{"styles/a.css:1:60: 3px"}},
		"a style in a script": {"editor/theme.ts", "const a = { padding: '0 4px' };", []string{"editor/theme.ts:1:25: 4px"}},
		"a style of a part":   {"ui/a.tsx", `<i style={{ top: "3px", left: ` + "`${x}px`" + ` }} />`, []string{"ui/a.tsx:1:19: 3px"}},
		"a font's weights":    {"styles/a.css", "@font-face { font-weight: 100 900; }", nil},
		"tokens":              {"styles/a.css", "a { top: var(--space-2); font-weight: var(--weight-strong); flex: 1; }", nil},
		"what is computed":    {"ui/a.tsx", "<i style={{ top: `${x}px` }} />", nil},
		"a comment":           {"styles/a.css", "/* A control has\n   36px. */ a { top: 0; }", nil},
		"a query in a script": {"a.ts", "matchMedia('(min-width: 800px)');", nil},
		"the tokens' file":    {tokensFile, ":root { --space-1: 4px; }", nil},
		"a unit test":         {"a.test.ts", "equal(read(), '4px');", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := literals(fstest.MapFS{c.file: {Data: []byte(c.content)}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range found {
				found[i], _, _ = strings.Cut(found[i], " is a literal")
			}
			if !slices.Equal(found, c.want) {
				t.Errorf("got %q, want %q", found, c.want)
			}
		})
	}
}
