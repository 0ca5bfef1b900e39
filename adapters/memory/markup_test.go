package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestPatcher(t *testing.T) { porttest.TestPatcher(t, memory.NewPatcher()) }
