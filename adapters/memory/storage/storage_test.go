package storage_test

import (
	"testing"

	memory "github.com/atelierhq/atelier/adapters/memory/storage"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest"
)

func TestStore(t *testing.T) {
	storagetest.Run(t, func(*testing.T) storage.Store { return memory.New() })
}
