package objects_test

import (
	"testing"

	memory "github.com/atelierhq/atelier/adapters/memory/objects"
	"github.com/atelierhq/atelier/ports/objects"
	"github.com/atelierhq/atelier/ports/objects/objectstest"
)

func TestStore(t *testing.T) {
	objectstest.Run(t, func(*testing.T) objects.Store { return memory.New() })
}
