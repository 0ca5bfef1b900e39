package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/observe"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
)

func TestHealthIsForEverybody(t *testing.T) {
	api := newAPI(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := api.do("GET", path, ""); got.StatusCode != http.StatusOK || got.text("status") != "ok" {
			t.Errorf("%s: got %d %s, want 200 ok", path, got.StatusCode, got.body)
		}
	}
}

func TestReadinessNamesWhatIsDownAndWaitsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deps, _, log := testDeps(t)
		release := make(chan struct{})
		defer close(release)
		deps.Checks = []observe.Check{
			{Name: "database", Do: func(context.Context) error { return nil }},
			{Name: "projects root", Do: func(context.Context) error { return errors.New("the disk is gone") }},
			{Name: "bus", Do: func(context.Context) error { <-release; return nil }},
			{Name: "panicking", Do: func(context.Context) error { panic("no") }},
		}
		begun := time.Now()
		w := httptest.NewRecorder()
		New(deps).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		want := `{"error":"unavailable","message":"not ready: projects root, bus, panicking"}`
		if got := strings.TrimSpace(w.Body.String()); w.Code != http.StatusServiceUnavailable || got != want {
			t.Errorf("got %d %s, want 503 %s", w.Code, got, want)
		}
		if took := time.Since(begun); took != observe.CheckTime {
			t.Errorf("got the answer after %s, want %s", took, observe.CheckTime)
		}
		if !strings.Contains(log.String(), "the disk is gone") {
			t.Errorf("got the log\n%s, want the cause", log)
		}
	})
}

func TestACheckThatIsStuckIsNotBegunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deps, _, _ := testDeps(t)
		release := make(chan struct{})
		var begun atomic.Int64
		deps.Checks = []observe.Check{{Name: "projects root", Do: func(context.Context) error {
			begun.Add(1)
			<-release
			return nil
		}}}
		api := New(deps)
		ask := func() int {
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
			return w.Code
		}
		for range 3 {
			if got := ask(); got != http.StatusServiceUnavailable {
				t.Errorf("got %d while the check is stuck, want 503", got)
			}
		}
		if got := begun.Load(); got != 1 {
			t.Errorf("got the check begun %d times, want once", got)
		}
		close(release)
		synctest.Wait()
		if got := ask(); got != http.StatusOK || begun.Load() != 2 {
			t.Errorf("got %d, begun %d times, want 200 of a second check", got, begun.Load())
		}
	})
}

func TestACheckThatWritesIsNotMadeAtEachProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deps, _, _ := testDeps(t)
		made, failure := 0, error(nil)
		deps.Checks = []observe.Check{{Name: "database", Every: 5 * time.Second, Do: func(context.Context) error {
			made++
			return failure
		}}}
		api := New(deps)
		want := func(what string, code, times int) {
			t.Helper()
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
			if w.Code != code || made != times {
				t.Errorf("%s: got %d, made %d times, want %d and %d", what, w.Code, made, code, times)
			}
		}
		want("the first probe", http.StatusOK, 1)
		time.Sleep(4 * time.Second)
		want("a good result counts", http.StatusOK, 1)
		time.Sleep(time.Second)
		failure = errors.New("the disk is full")
		want("it is over", http.StatusServiceUnavailable, 2)
		want("a bad result counts for its own answer alone", http.StatusServiceUnavailable, 3)
		failure = nil
		want("mended", http.StatusOK, 4)
	})
}

func TestMetricsAreForThisMachineAndTheTokensBearer(t *testing.T) {
	deps, _, _ := testDeps(t)
	deps.Settings.MetricsToken = "metrics-token"
	withToken := New(deps)
	deps.Settings.MetricsToken = ""
	without := New(deps)
	for _, c := range []struct {
		name, peer, auth, forwarded string
		handler                     http.Handler
		status                      int
	}{
		{"this machine", "127.0.0.1:5", "", "", without, 200},
		{"this machine, IPv6", "[::1]:5", "", "", withToken, 200},
		{"a proxy on this machine", "127.0.0.1:5", "", "192.0.2.1", without, 403},
		{"another machine", "192.0.2.1:5", "", "", withToken, 403},
		{"another machine that says it is this one", "192.0.2.1:5", "", "127.0.0.1", withToken, 403},
		{"the token", "192.0.2.1:5", "Bearer metrics-token", "", withToken, 200},
		{"a wrong token", "192.0.2.1:5", "Bearer metrics-tokem", "", withToken, 403},
		{"an empty token where there is none", "192.0.2.1:5", "Bearer ", "", without, 403},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.RemoteAddr = c.peer
		if c.auth != "" {
			r.Header.Set("Authorization", c.auth)
		}
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		w := httptest.NewRecorder()
		c.handler.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: got %d, want %d", c.name, w.Code, c.status)
		}
	}
}

func TestMetricsCountByRouteAndNeverByPath(t *testing.T) {
	api := newTable(t, append(fileRoutes(), rest.Open("GET", "/x/:id", failing(nil))))
	metrics := observe.NewMetrics(nil, nil, "")
	api.server.Config.Handler = serve(api.deps, metrics, append(append(fileRoutes(), Routes(api.deps)...), operations(api.deps, metrics)...))
	api.do("GET", "/boxes/secret-id", "")
	api.do("GET", "/boxes/other-id", "")
	api.raw("MADEUP /unknown/secret-id")
	api.do("POST", "/boxes/secret-id", "")
	got := api.do("GET", "/metrics", "").body
	for _, want := range []string{
		`atelier_http_requests_total{method="GET",route="/boxes/:boxId",status="200"} 2`,
		`atelier_http_requests_total{method="other",route="none",status="404"} 1`,
		`atelier_http_requests_total{method="POST",route="/boxes/:boxId",status="405"} 1`,
		`atelier_http_request_duration_seconds_count{method="GET",route="/boxes/:boxId"} 2`,
		"atelier_http_requests_in_flight 1", "go_goroutines ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got metrics without %s", want)
		}
	}
	if strings.Contains(got, "secret-id") {
		t.Error("got a path in the metrics, want routes only")
	}
}
