package memory_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/porttest"
	"github.com/atelierhq/atelier/ports/screenshot"
)

func TestCamera(t *testing.T) {
	porttest.TestCamera(t, func(_ *testing.T, pages http.Handler) screenshot.Camera { return memory.NewCamera(pages) })
}
