package memory_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/vcs/vcstest"
)

func TestWire(t *testing.T) {
	vcstest.RunWire(t, func(*testing.T) vcstest.WireHarness {
		return vcstest.WireHarness{Wire: memory.NewWire(), Silent: true}
	})
}

func TestRemotes(t *testing.T) {
	vcstest.RunRemotes(t, func(*testing.T, http.Handler) vcstest.RemotesHarness {
		return vcstest.RemotesHarness{Remotes: memory.NewRemotes(), Silent: true}
	})
}
