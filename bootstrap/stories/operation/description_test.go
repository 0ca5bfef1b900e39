package operation_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// TestTheServiceDescribesItself fetches what everybody may read.
func TestTheServiceDescribesItself(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, nil)
	document, err := httpapi.Describe("")
	if err != nil {
		t.Fatal(err)
	}
	visitor := &storytest.Caller{Site: s}
	if got := visitor.Must(http.StatusOK, http.MethodGet, "/openapi.json", nil, nil); string(got.Body) != string(document) {
		t.Errorf("got %.200s, want the description", got.Body)
	}
	for _, target := range []string{"/docs", "/sdk.ts", "/healthz", "/readyz", "/metrics"} {
		visitor.Must(http.StatusOK, http.MethodGet, target, nil, nil)
	}
}
