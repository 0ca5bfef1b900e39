package files

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/adapters/httpapi/conform"
)

var description = conform.Once(httpapi.Describe)

// described holds every answer to the API's description: one that does not fit it
// fails the test. Benchmarks measure the service and nothing else.
func (w *world) described() http.RoundTripper {
	w.Helper()
	transport := w.server.Client().Transport
	if _, measures := w.TB.(*testing.B); measures {
		return transport
	}
	return description(w).Transport(w, w.server.Listener.Addr().String(), transport)
}
