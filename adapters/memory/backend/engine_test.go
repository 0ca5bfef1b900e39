package backend_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/ports/backend/backendtest"
)

func TestEngine(t *testing.T) {
	backendtest.Run(t, func(*testing.T) backendtest.Harness { return &harness{} })
}

func FuzzLists(f *testing.F) { backendtest.Fuzz(f, &harness{}) }

type harness struct{ engine *backend.Engine }

func (h *harness) Open(_ testing.TB, service backendtest.Service, limits backendtest.Limits) backendtest.Engine {
	h.engine = backend.New(backend.Config{Post: service.Post, SignIns: service.SignIns, Client: service.Client, Limits: backend.Limits{
		FileBytes: limits.FileBytes, Streams: limits.Streams, Requests: limits.Requests, SignIn: limits.SignIn,
	}})
	return h.engine
}

// Reopen ends the streams; what is in memory does not survive more.
func (h *harness) Reopen(*testing.T) backendtest.Engine {
	h.engine.Restart()
	return h.engine
}
