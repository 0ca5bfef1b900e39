package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/unsaved/unsavedtest"
)

func TestUnsaved(t *testing.T) {
	unsavedtest.Run(t, func(*testing.T) (here, there unsavedtest.End) {
		end := unsavedtest.End{Registry: memory.NewUnsaved(), Claim: func(project, owner core.ID) {}}
		return end, end
	})
}

func BenchmarkSaveOfWhatNobodyKeeps(b *testing.B) {
	registry, project := memory.NewUnsaved(), core.NewID()
	for b.Loop() {
		if err := registry.Save(b.Context(), project); err != nil {
			b.Fatal(err)
		}
	}
}
