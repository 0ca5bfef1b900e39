package git_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// BenchmarkDuplicate copies a repository of a thousand files with a hundred versions,
// after its tree.
func BenchmarkDuplicate(b *testing.B) {
	root := b.TempDir()
	trees, repositories := newTrees(b, root), newRepositories(b, root)
	source := core.NewID()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	must(trees.Create(b.Context(), source))
	must(repositories.Init(b.Context(), source))
	tree, err := trees.Open(b.Context(), source)
	must(err)
	save := func(changes []core.FileChange) {
		for _, result := range tree.Apply(b.Context(), changes) {
			must(result.Err)
		}
		must(repositories.Stage(b.Context(), source, changes))
		_, _, err := repositories.Commit(b.Context(), source, vcs.Commit{Message: "x", Author: core.Author{Kind: core.AuthorUser, Name: "x"}})
		must(err)
	}
	var changes []core.FileChange
	var paths []core.ProjectPath
	for i := range 1000 {
		path := core.MustPath(fmt.Sprintf("src/%d/%d.txt", i%20, i))
		paths = append(paths, path)
		changes = append(changes, core.FileChange{Op: core.OpWrite, Path: path, Content: []byte(strings.Repeat(fmt.Sprint(i, "\n"), 500))})
	}
	save(changes)
	for i := range 100 {
		save([]core.FileChange{{Op: core.OpWrite, Path: paths[0], Content: []byte(fmt.Sprint(i))}})
	}
	b.Run("tree", func(b *testing.B) {
		for b.Loop() {
			target := core.NewID()
			must(trees.Create(b.Context(), target))
			must(trees.Copy(b.Context(), source, target, paths))
		}
	})
	target := core.NewID()
	must(trees.Create(b.Context(), target))
	must(trees.Copy(b.Context(), source, target, paths))
	git := filepath.Join(root, string(target), ".git")
	b.Run("repository", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			must(exec.Command("rm", "-rf", git).Run())
			b.StartTimer()
			must(repositories.Init(b.Context(), target))
			must(repositories.Duplicate(b.Context(), source, target))
		}
	})
}
