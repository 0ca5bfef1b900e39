package regexsearch_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/regexsearch"
	"github.com/atelierhq/atelier/ports/porttest"
	"github.com/atelierhq/atelier/ports/search"
)

func TestSearch(t *testing.T) {
	porttest.TestSearch(t, func(*testing.T) search.Engine { return regexsearch.New() })
}
