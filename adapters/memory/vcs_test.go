package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestRepositories(t *testing.T) {
	porttest.TestVCS(t, func(*testing.T) porttest.VCSHarness {
		trees := memory.NewTrees()
		return porttest.VCSHarness{Trees: trees, Repositories: memory.NewRepositories(trees)}
	})
}
