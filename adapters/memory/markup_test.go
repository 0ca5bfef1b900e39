package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/markup/markuptest"
)

func TestPatcher(t *testing.T) { markuptest.Run(t, memory.NewPatcher()) }
