package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/porttest"
	"github.com/atelierhq/atelier/ports/search"
)

func TestSearch(t *testing.T) {
	porttest.TestSearch(t, func(*testing.T) search.Engine { return memory.NewSearch() })
}
