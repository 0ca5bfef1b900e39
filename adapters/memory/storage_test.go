package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest"
)

func TestStore(t *testing.T) {
	storagetest.Run(t, func(*testing.T) storage.Store { return memory.NewStore() })
}
