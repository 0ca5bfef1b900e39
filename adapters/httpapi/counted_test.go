package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core/telemetry"
)

func TestMetricsTellWhatTheServiceDoes(t *testing.T) {
	deps, _, _ := testDeps(t)
	deps.Settings.Version, deps.Tally = "1.2.3", telemetry.New()
	deps.Gauges = []telemetry.Gauge{{Name: "atelier_rooms", Help: "Rooms.", Read: func() float64 { return 3 }}}
	deps.Tally.Add(telemetry.Runs, "done", 2)
	deps.Tally.Add(telemetry.Cost, "", 0.25)
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.RemoteAddr = "127.0.0.1:5000"
	w := httptest.NewRecorder()
	New(deps).ServeHTTP(w, r)
	for _, want := range []string{
		"\natelier_runs_total{outcome=\"done\"} 2\n", "\natelier_model_cost_dollars_total 0.25\n", "\natelier_rooms 3\n",
		"\natelier_build_info{goversion=\"go1.", "version=\"1.2.3\"} 1\n", "\n# TYPE atelier_runs_total counter\n",
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("got %d without %q:\n%.2000s", w.Code, want, w.Body)
		}
	}
}
