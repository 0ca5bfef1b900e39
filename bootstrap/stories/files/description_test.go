package files

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/adapters/httpapi/conform"
)

var description = conform.Once(httpapi.Describe)

// described returns a transport that validates every answer against the API's
// description. An invalid answer fails the test.
func (w *world) described() http.RoundTripper {
	w.Helper()
	transport := w.server.Client().Transport
	if _, measures := w.TB.(*testing.B); measures {
		return transport
	}
	return description(w).Transport(w, w.server.Listener.Addr().String(), transport)
}
