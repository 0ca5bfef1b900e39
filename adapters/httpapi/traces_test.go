package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/traces"
)

const strangeTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

// traced sends a request from an address and returns its spans and the log.
func traced(t *testing.T, method, path, from string) (spans []traces.EndedSpan, log string) {
	t.Helper()
	deps, _, written := testDeps(t)
	tracer := traces.New()
	deps.Tracer, deps.Settings.TrustedProxies = tracer, []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	r := httptest.NewRequest(method, path, nil)
	r.Host, r.RemoteAddr = "localhost:8080", from+":5000"
	r.Header.Set("Traceparent", "00-"+strangeTrace+"-00f067aa0ba902b7-01")
	New(deps).ServeHTTP(httptest.NewRecorder(), r)
	return tracer.Ended(), written.String()
}

func TestTheSpanOfARequestNamesItsRouteAndNothingOfThePath(t *testing.T) {
	for path, want := range map[string]string{
		"/projects/hunter2?token=hunter2": "GET /projects/:projectId", "/hunter2/hunter2": "", "/auth/me?token=hunter2": "GET /auth/me",
	} {
		spans, _ := traced(t, http.MethodGet, path, "127.0.0.1")
		if len(spans) != 1 || want != "" && spans[0].Name != want {
			t.Errorf("%s: got %+v, want one span %q", path, spans, want)
			continue
		}
		if strings.Contains(spans[0].Name, "hunter2") {
			t.Errorf("%s: got the name %q", path, spans[0].Name)
		}
		for key, value := range spans[0].Facts {
			if text, ok := value.(string); ok && strings.Contains(text, "hunter2") {
				t.Errorf("%s: got %s %q, want nothing of the path", path, key, text)
			}
		}
	}
}

func TestOnlyATrustedProxyContinuesItsTrace(t *testing.T) {
	spans, log := traced(t, http.MethodGet, "/auth/me", "192.0.2.7")
	if len(spans) != 1 || spans[0].Trace != strangeTrace || !strings.Contains(log, "trace="+strangeTrace) {
		t.Errorf("got %+v and the log %q, want the proxy's trace", spans, log)
	}
	spans, log = traced(t, http.MethodGet, "/auth/me", "198.51.100.7")
	if len(spans) != 1 || spans[0].Trace == strangeTrace || spans[0].Parent != "" || len(spans[0].Links) != 1 || strings.Contains(log, strangeTrace) {
		t.Errorf("got %+v and the log %q, want a trace of its own with a link", spans, log)
	}
}

func TestProbesHaveNoSpan(t *testing.T) {
	if spans, _ := traced(t, http.MethodGet, "/healthz", "127.0.0.1"); len(spans) != 0 {
		t.Errorf("got %+v, want none", spans)
	}
}

// TestARouteThatNobodyKnowsHasABoundedName also covers methods that clients make up.
func TestARouteThatNobodyKnowsHasABoundedName(t *testing.T) {
	if spans, _ := traced(t, "HUNTER2", "/auth/me", "127.0.0.1"); len(spans) != 1 || strings.Contains(spans[0].Name, "HUNTER2") {
		t.Errorf("got %+v, want a name without the method", spans)
	}
}
