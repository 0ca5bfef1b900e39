package markup_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/markup"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestPatcher(t *testing.T) { porttest.TestPatcher(t, markup.New()) }
