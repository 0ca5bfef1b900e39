package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/porttest"
	"github.com/atelierhq/atelier/ports/sites"
)

func TestSites(t *testing.T) {
	porttest.TestSites(t, func(*testing.T) sites.Store { return memory.NewSites() })
}
