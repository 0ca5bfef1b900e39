package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/observe"
)

// TestANameThatWasReboundReachesNothing covers a page that lets its own name lead to a
// service on the visitor's machine.
func TestANameThatWasReboundReachesNothing(t *testing.T) {
	const own, foreign = 0, http.StatusMisdirectedRequest
	for _, c := range []struct {
		app, host, path string
		want            int
	}{
		{"http://localhost:8080", "evil.example", "/auth/me", foreign},
		{"http://localhost:8080", "evil.example:8080", "/metrics", foreign},
		{"http://localhost:8080", "evil.example", "/readyz", foreign},
		{"http://localhost:8080", "localhost.evil.example", "/", foreign},
		{"http://localhost:8080", "192.0.2.7", "/auth/me", foreign},
		{"http://localhost:8080", "localhost:8080", "/auth/me", own},
		{"http://localhost:8080", "LOCALHOST.:8080", "/auth/me", own},
		{"http://localhost:8080", "127.0.0.1:8080", "/auth/me", own},
		{"http://localhost:8080", "[::1]:8080", "/metrics", own},
		{"http://localhost:8080", "192.0.2.7:8080", "/healthz", own},
		{"http://localhost:8080", "serve-1:8080", "/readyz", own},
		{"https://atelier.example", "atelier.example", "/auth/me", own},
		{"https://atelier.example", "atelier.example:8443", "/auth/me", own},
		{"https://atelier.example", "localhost:8080", "/auth/me", foreign},
		{"https://atelier.example", "127.0.0.1:8080", "/auth/me", foreign},
		{"https://atelier.example", "127.0.0.1:8080", "/metrics", own},
		{"https://atelier.example", "", "/auth/me", foreign},
	} {
		deps, _, _ := testDeps(t)
		app, err := url.Parse(c.app)
		if err != nil {
			t.Fatal(err)
		}
		deps.Settings.AppURL, deps.Settings.Hosts = app, observe.OwnHosts(app)
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Host, r.RemoteAddr = c.host, "127.0.0.1:5000"
		w := httptest.NewRecorder()
		New(deps).ServeHTTP(w, r)
		if (w.Code == foreign) != (c.want == foreign) {
			t.Errorf("%s: %s%s: got %d, want %d", c.app, c.host, c.path, w.Code, c.want)
		}
		if w.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s%s: got no X-Request-Id", c.host, c.path)
		}
	}
}
