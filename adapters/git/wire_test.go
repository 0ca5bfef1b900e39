package git_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestWire(t *testing.T) {
	porttest.TestWire(t, func(t *testing.T) porttest.WireHarness {
		root := t.TempDir()
		repositories := newRepositories(t, root)
		return porttest.WireHarness{
			VCSHarness: porttest.VCSHarness{Trees: newTrees(t, root), Repositories: repositories},
			Wire:       git.NewWire(repositories),
			Aside: func(project core.ID) []string {
				left, err := filepath.Glob(filepath.Join(root, string(project), ".git", "atelier", "pack-*"))
				if err != nil {
					t.Fatal(err)
				}
				return left
			},
		}
	})
}

func TestRemotes(t *testing.T) {
	porttest.TestRemotes(t, func(t *testing.T, host http.Handler) porttest.RemotesHarness {
		root := t.TempDir()
		repositories := newRepositories(t, root)
		return porttest.RemotesHarness{
			VCSHarness: porttest.VCSHarness{Trees: newTrees(t, root), Repositories: repositories},
			Remotes:    git.NewRemotes(repositories, memory.NewGuard().Handle("git.example.com", host), false),
		}
	})
}
