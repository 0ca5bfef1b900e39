package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestSites(t *testing.T) {
	porttest.TestSites(t, func(*testing.T) porttest.WatchedSites { return memory.NewSites() })
}
