package vcs_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/vcs"
	"github.com/atelierhq/atelier/adapters/memory/worktree"
	"github.com/atelierhq/atelier/ports/vcs/vcstest"
)

func TestRepositories(t *testing.T) {
	vcstest.Run(t, func(*testing.T) vcstest.Harness {
		trees := worktree.New()
		return vcstest.Harness{Trees: trees, Repositories: vcs.New(trees)}
	})
}
