package tailwind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

func picked(s *tailwind.Selection, names string) string {
	var found []string
	for _, name := range strings.Fields(names) {
		if s.Has(name) {
			found = append(found, name)
		}
	}
	return strings.Join(found, " ")
}

func TestSelectionFollowsTailwindsRules(t *testing.T) {
	const all = "index.html src/App.tsx src/a.css src/b.scss src/logo.png src/notes.md public/x.svg package.json package-lock.json .env .env.local dist/app.js node_modules/a/x.js src/node_modules/x.js lib/deep/c.vue lib/d.html"
	ignored := []byte("# a comment\n\n/dist/\n*.md\n!src/keep.md\n")
	for _, c := range []struct {
		automatic string
		none      bool
		explicit  []tailwind.Source
		want      string
	}{
		{"", false, nil, "index.html src/App.tsx public/x.svg package.json lib/deep/c.vue lib/d.html"},
		{"/src", false, nil, "src/App.tsx"},
		{"/lib/**/*.vue", false, nil, "lib/deep/c.vue"},
		{"", true, nil, ""},
		{"", true, []tailwind.Source{{Pattern: "/lib"}}, "lib/deep/c.vue lib/d.html"},
		{"", true, []tailwind.Source{{Pattern: "/lib/*.{vue,html}"}}, "lib/d.html"},
		{"", true, []tailwind.Source{{Pattern: "/src/[a-b]*.css"}}, "src/a.css"},
		{"", true, []tailwind.Source{{Pattern: "/dist/app.js"}, {Pattern: "/node_modules/a"}}, "dist/app.js node_modules/a/x.js"},
		{"", false, []tailwind.Source{{Pattern: "/lib", Negated: true}, {Pattern: "/public/**", Negated: true}}, "index.html src/App.tsx package.json"},
		{"", true, []tailwind.Source{{Pattern: "/" + strings.Repeat("{", 2000)}, {Pattern: "/[z-a]*"}}, ""},
	} {
		if got := picked(tailwind.Select(c.automatic, c.none, c.explicit, ignored), all); got != c.want {
			t.Errorf("%q %v %v: got %q, want %q", c.automatic, c.none, c.explicit, got, c.want)
		}
	}
}

func TestIgnoredFilesCanBeTakenBack(t *testing.T) {
	s := tailwind.Select("", false, nil, []byte("*.md\n!keep.md\nlogs\ndocs/*.txt"))
	if got, want := picked(s, "a.md keep.md b/keep.md logs/a.ts x/logs/a.ts docs/a.txt docs/b/a.txt"), "keep.md b/keep.md docs/b/a.txt"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPackagesThatAreNamedAreFound(t *testing.T) {
	s := tailwind.Select("", false, []tailwind.Source{{Pattern: "/node_modules/@ours/ui/dist"}, {Pattern: "/node_modules/flowbite/**/*.js"}, {Pattern: "/node_modules/@ours/ui"}, {Pattern: "/src"}, {Pattern: "/node_modules/**"}}, nil)
	if got, want := fmt.Sprint(s.Packages()), "[@ours/ui flowbite]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
