package regexsearch_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/regexsearch"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/search/searchtest"
)

func TestSearch(t *testing.T) {
	searchtest.Run(t, func(*testing.T) search.Engine { return regexsearch.New() })
}
