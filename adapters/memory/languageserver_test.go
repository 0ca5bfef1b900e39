package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/languageserver"
	"github.com/atelierhq/atelier/ports/languageserver/languageservertest"
)

func TestLanguageServers(t *testing.T) {
	languageservertest.Run(t, func(t *testing.T) languageservertest.Harness {
		trees := memory.NewTrees()
		project := core.NewID()
		if err := trees.Create(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		tree, err := trees.Open(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		apply := func(change core.FileChange) {
			if made := tree.Apply(t.Context(), []core.FileChange{change}); made[0].Err != nil {
				t.Fatal(made[0].Err)
			}
		}
		return languageservertest.Harness{
			Launcher: memory.NewLanguageServers(trees), Project: project,
			Write: func(path, content string) {
				apply(core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)})
			},
			Remove: func(path string) { apply(core.FileChange{Op: core.OpDelete, Path: core.MustPath(path)}) },
			Broken: func() languageserver.Launcher { return memory.NewLanguageServers(trees).SetMissing(true) },
		}
	})
}
