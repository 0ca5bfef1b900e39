package markup_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/atelierhq/atelier/adapters/markup"
	port "github.com/atelierhq/atelier/ports/markup"
)

// plainString is a string in a file of texts that people read: not a code, a time or a number.
var plainString = regexp.MustCompile(`'((?:[^'\\\n]|\\.)*\pL{2}(?:[^'\\\n]|\\.)* ?\pL{2}(?:[^'\\\n]|\\.)*)'`)

// TestTextsOfTheExamplesCanBeTyped: at least 95 of 100 texts of the demo's applications, and of the template
// whose texts have a file of their own, can be changed by what the page shows.
func TestTextsOfTheExamplesCanBeTyped(t *testing.T) {
	files, err := filepath.Glob("../demo/starters/*/texts.*.ts")
	if err != nil || len(files) < 15 {
		t.Fatalf("got %q, %v, want three languages of five applications", files, err)
	}
	patcher := markup.New()
	all, typed := 0, 0
	for _, file := range append(files, "../scaffold/templates/landing-page/src/content/site.ts") {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range plainString.FindAllSubmatch(source, -1) {
			all++
			edits, err := patcher.Patch(t.Context(), "src/texts.ts", source, []port.Patch{{Property: "textContent", Value: "Something else", Shown: string(text[1])}})
			if err != nil || len(edits) != 1 {
				t.Logf("%s: %q: %v", file, text[1], err)
				continue
			}
			typed++
		}
	}
	if all < 300 || typed*100 < all*95 {
		t.Errorf("got %d of %d texts, want 95 of 100", typed, all)
	}
}
