package storytest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/adapters/httpapi/conform"
)

var description = conform.Once(httpapi.Describe)

// Described returns the site's client, which validates every answer of the API against
// the API's description. An invalid answer fails the test. Benchmarks measure only the
// service, so they skip the validation.
func (s *Site) Described() *http.Client {
	s.T.Helper()
	if _, measures := s.T.(*testing.B); measures {
		return s.Client
	}
	client := *s.Client
	client.Transport = description(s.T).Transport(s.T, strings.TrimPrefix(s.URL, "http://"), s.Client.Transport)
	return &client
}
