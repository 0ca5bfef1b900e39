package esbuild_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestBuilder(t *testing.T) { porttest.TestBuilder(t, openBuilder) }

func openBuilder(t *testing.T) build.Builder {
	t.Helper()
	builder, err := esbuild.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return builder
}
