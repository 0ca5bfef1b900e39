package memory_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestWire(t *testing.T) {
	porttest.TestWire(t, func(*testing.T) porttest.WireHarness {
		return porttest.WireHarness{Wire: memory.NewWire(), Silent: true}
	})
}

func TestRemotes(t *testing.T) {
	porttest.TestRemotes(t, func(*testing.T, http.Handler) porttest.RemotesHarness {
		return porttest.RemotesHarness{Remotes: memory.NewRemotes(), Silent: true}
	})
}
