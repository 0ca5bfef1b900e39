package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/vcs/vcstest"
)

func TestRepositories(t *testing.T) {
	vcstest.Run(t, func(t *testing.T) vcstest.Harness {
		root := t.TempDir()
		dir := func(project core.ID) string { return filepath.Join(root, string(project)) }
		return vcstest.Harness{
			Trees:        newTrees(t, root),
			Repositories: newRepositories(t, root),
			Dir:          dir,
			Reopen:       func() vcs.Repositories { return newRepositories(t, root) },
			Verify:       func(t *testing.T, project core.ID) { verify(t, dir(project)) },
		}
	})
}

func newTrees(t testing.TB, root string) *disk.Trees {
	t.Helper()
	trees, err := disk.NewTrees(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trees.Close() })
	return trees
}

func newRepositories(t testing.TB, root string) *git.Repositories {
	t.Helper()
	repositories, err := git.NewRepositories(root)
	if err != nil {
		t.Fatal(err)
	}
	return repositories
}

// verify checks a repository with the stock git client: it is sound, and no file of the
// index differs from the tree unless the index says so.
func verify(t testing.TB, dir string) {
	t.Helper()
	out, err := stock(dir, "fsck", "--strict", "--no-dangling", "--no-progress")
	for line := range strings.Lines(out) {
		if err != nil || !strings.HasPrefix(line, "notice: ") {
			t.Errorf("git fsck: got %q, %v, want nothing but notices", out, err)
			break
		}
	}
	if out, err := stock(dir, "ls-files", "--stage"); err != nil {
		t.Errorf("git ls-files: got %q, %v, want a list", out, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git", "index.lock")); err == nil {
		t.Error("got index.lock left, want it gone")
	}
}

// stock runs the stock client on a repository that the test owns.
func stock(dir string, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir),
		"GIT_AUTHOR_NAME=Stock", "GIT_AUTHOR_EMAIL=stock@example.com", "GIT_COMMITTER_NAME=Stock", "GIT_COMMITTER_EMAIL=stock@example.com")
	out, err := command.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}
