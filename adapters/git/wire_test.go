package git_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs/vcstest"
)

func TestWire(t *testing.T) {
	vcstest.RunWire(t, func(t *testing.T) vcstest.WireHarness {
		root := t.TempDir()
		repositories := newRepositories(t, root)
		return vcstest.WireHarness{
			Harness: vcstest.Harness{Trees: newTrees(t, root), Repositories: repositories},
			Wire:    git.NewWire(repositories),
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
	vcstest.RunRemotes(t, func(t *testing.T, host http.Handler) vcstest.RemotesHarness {
		root := t.TempDir()
		repositories := newRepositories(t, root)
		return vcstest.RemotesHarness{
			Harness: vcstest.Harness{Trees: newTrees(t, root), Repositories: repositories},
			Remotes: git.NewRemotes(repositories, memory.NewGuard().Handle("git.example.com", host), false),
		}
	})
}
