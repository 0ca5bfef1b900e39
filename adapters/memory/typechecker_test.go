package memory_test

import (
	"io/fs"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/typecheck"
	"github.com/atelierhq/atelier/ports/typecheck/typechecktest"
)

func TestTypeChecker(t *testing.T) {
	typechecktest.Run(t, func(t *testing.T) typechecktest.Harness {
		trees := memory.NewTrees()
		project := core.NewID()
		if err := trees.Create(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		tree, err := trees.Open(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		return typechecktest.Harness{
			Checker: memory.NewTypeChecker(trees), Project: project,
			Write: func(path, content string) {
				change := core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}
				if made := tree.Apply(t.Context(), []core.FileChange{change}); made[0].Err != nil {
					t.Fatal(made[0].Err)
				}
			},
			Files: func() map[string]string {
				found := map[string]string{}
				err := fs.WalkDir(tree.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
					if err != nil || entry.IsDir() {
						return err
					}
					content, err := fs.ReadFile(tree.FS(), name)
					found[name] = string(content)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				return found
			},
			Broken: func() typecheck.Checker { return memory.NewTypeChecker(trees).SetMissing(true) },
		}
	})
}
