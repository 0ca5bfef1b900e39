package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/sites/sitestest"
)

func TestSites(t *testing.T) {
	sitestest.Run(t, func(*testing.T) sitestest.WatchedStore { return memory.NewSites() })
}
