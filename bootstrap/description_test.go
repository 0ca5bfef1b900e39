package bootstrap_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/adapters/httpapi/conform"
	"github.com/atelierhq/atelier/bootstrap/inmemory"
)

var description = conform.Once(httpapi.Describe)

// described is the site's client that holds every answer of the API to the API's
// description: one that does not fit it fails the test. Benchmarks measure the
// service and nothing else.
func (s *site) described() *http.Client {
	s.t.Helper()
	if _, measures := s.t.(*testing.B); measures {
		return s.http
	}
	client := *s.http
	client.Transport = description(s.t).Transport(s.t, strings.TrimPrefix(s.url, "http://"), s.http.Transport)
	return &client
}

// TestTheServiceDescribesItself fetches what is there for everybody.
func TestTheServiceDescribesItself(t *testing.T) {
	s := serve(t, t.TempDir(), inmemory.New, nil)
	document, err := httpapi.Describe("")
	if err != nil {
		t.Fatal(err)
	}
	visitor := &caller{site: s}
	if got := visitor.must(http.StatusOK, http.MethodGet, "/openapi.json", nil, nil); string(got.body) != string(document) {
		t.Errorf("got %.200s, want the description", got.body)
	}
	for _, target := range []string{"/docs", "/healthz", "/readyz", "/metrics"} {
		visitor.must(http.StatusOK, http.MethodGet, target, nil, nil)
	}
}
