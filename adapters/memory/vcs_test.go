package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/vcs/vcstest"
)

func TestRepositories(t *testing.T) {
	vcstest.Run(t, func(*testing.T) vcstest.Harness {
		trees := memory.NewTrees()
		return vcstest.Harness{Trees: trees, Repositories: memory.NewRepositories(trees)}
	})
}
