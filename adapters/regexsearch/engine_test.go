package regexsearch_test

import (
	"bytes"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/regexsearch"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/search/searchtest"
)

func TestSearch(t *testing.T) {
	searchtest.Run(t, func(*testing.T) search.Engine { return regexsearch.New() })
}

// TestACostlyPatternIsRefused searches lines that are too short for a match, which regexp sees at
// once: the bound holds for the pattern and the text, whatever they cost in the end.
func TestACostlyPatternIsRefused(t *testing.T) {
	files := fstest.MapFS{"f": &fstest.MapFile{Data: bytes.Repeat([]byte("ababababab\n"), 100_000)}}
	found, err := regexsearch.New().Search(t.Context(), files, search.Query{Pattern: "[ab]{900}", Limit: 1})
	if !core.IsCode(err, core.CodeInvalidRegex) {
		t.Errorf("got %+v, %v, want code invalid_regex", found, err)
	}
}
