package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/porttest"
	"github.com/atelierhq/atelier/ports/storage"
)

func TestStore(t *testing.T) {
	porttest.TestStorage(t, func(*testing.T) storage.Store { return memory.NewStore() })
}
