package worktreetest

import (
	"io"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Create makes the tree of a project and opens it.
func Create(t *testing.T, h Harness, project core.ID) worktree.Tree {
	t.Helper()
	if err := h.Trees.Create(t.Context(), project); err != nil {
		t.Fatalf("create a tree: got %v, want nil", err)
	}
	tree, err := h.Trees.Open(t.Context(), project)
	if err != nil {
		t.Fatalf("open a tree: got %v, want nil", err)
	}
	return tree
}

// Writing is the change that writes a file.
func Writing(path, content string) core.FileChange {
	return core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}
}

// Renaming is the change that renames a file or a directory.
func Renaming(from, to string) core.FileChange {
	return core.FileChange{Op: core.OpRename, Path: core.MustPath(from), To: core.MustPath(to)}
}

// Deleting is the change that deletes a file or a directory.
func Deleting(path string) core.FileChange {
	return core.FileChange{Op: core.OpDelete, Path: core.MustPath(path)}
}

// WriteFile writes a file and returns the tree's description of it.
func WriteFile(t *testing.T, tree worktree.Tree, path, content string) worktree.Info {
	t.Helper()
	result := tree.Apply(t.Context(), []core.FileChange{Writing(path, content)})[0]
	if result.Err != nil {
		t.Fatalf("write %s: got %v, want nil", path, result.Err)
	}
	return result.Info
}

func wantContent(t *testing.T, tree worktree.Tree, path, want string) {
	t.Helper()
	file, err := tree.Open(t.Context(), core.MustPath(path))
	if err != nil {
		t.Errorf("open %s: got %v, want nil", path, err)
		return
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil || string(content) != want {
		t.Errorf("%s: got %d bytes %.40q, %v, want %d bytes %.40q", path, len(content), content, err, len(want), want)
	}
	if file.Info().Size != int64(len(want)) || file.Info().Path.String() != path {
		t.Errorf("%s: got %+v, want its path and %d bytes", path, file.Info(), len(want))
	}
}

// wantPaths compares the paths of a walk.
func wantPaths(t *testing.T, tree worktree.Tree, want ...string) {
	t.Helper()
	var got []string
	err := tree.Walk(t.Context(), func(info worktree.Info) error {
		got = append(got, info.Path.String())
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("walk: got %q, %v, want %q", got, err, want)
	}
}
