package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/search/searchtest"
)

func TestSearch(t *testing.T) {
	searchtest.Run(t, func(*testing.T) search.Engine { return memory.NewSearch() })
}
