package vcs_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/vcs"
	"github.com/atelierhq/atelier/ports/vcs/vcstest"
)

func TestWire(t *testing.T) {
	vcstest.RunWire(t, func(*testing.T) vcstest.WireHarness {
		return vcstest.WireHarness{Wire: vcs.NewWire(), Silent: true}
	})
}

func TestRemotes(t *testing.T) {
	vcstest.RunRemotes(t, func(*testing.T, http.Handler) vcstest.RemotesHarness {
		return vcstest.RemotesHarness{Remotes: vcs.NewRemotes(), Silent: true}
	})
}
