package storytest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/adapters/httpapi/conform"
)

var description = conform.Once(httpapi.Describe)

// Described is the site's client that holds every answer of the API to the API's
// description: one that does not fit it fails the test. Benchmarks measure the
// service and nothing else.
func (s *Site) Described() *http.Client {
	s.T.Helper()
	if _, measures := s.T.(*testing.B); measures {
		return s.Client
	}
	client := *s.Client
	client.Transport = description(s.T).Transport(s.T, strings.TrimPrefix(s.URL, "http://"), s.Client.Transport)
	return &client
}
