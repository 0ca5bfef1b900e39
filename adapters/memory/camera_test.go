package memory_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/screenshot"
	"github.com/atelierhq/atelier/ports/screenshot/screenshottest"
)

func TestCamera(t *testing.T) {
	screenshottest.Run(t, func(_ *testing.T, pages http.Handler) screenshot.Camera { return memory.NewCamera(pages) })
}
