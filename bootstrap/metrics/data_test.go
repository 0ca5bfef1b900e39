package metrics

import (
	"context"
	"errors"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/traces"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/tracing"
)

// answers answers with the statuses that it is given, 0 for none.
type answers []int

func (a *answers) Serve(w http.ResponseWriter, _ *http.Request, _ backend.Place) {
	if (*a)[0] != 0 {
		w.WriteHeader((*a)[0])
	}
	*a = (*a)[1:]
	if err := http.NewResponseController(w).Flush(); err != nil {
		panic(err)
	}
}

func TestRequestsForDataAreCountedByOutcome(t *testing.T) {
	tally := telemetry.New()
	given := answers{200, 0, 204, 404, 429, 413, 503, 500}
	counted := Data(&given, telemetry.DataRequests, tally, "site data", tracing.Off{})
	for range len(given) {
		counted.Serve(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/_data/health", nil), backend.Place{Project: core.NewID(), Env: core.DataLive})
	}
	want := []telemetry.Sample{
		{Metric: telemetry.DataRequests, Word: "failed", Value: 1}, {Metric: telemetry.DataRequests, Word: "limited", Value: 2}, {Metric: telemetry.DataRequests, Word: "ok", Value: 3},
		{Metric: telemetry.DataRequests, Word: "refused", Value: 1}, {Metric: telemetry.DataRequests, Word: "unavailable", Value: 1},
	}
	if got := tally.Samples(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRequestsForDataAreTraced(t *testing.T) {
	tracer := traces.New()
	given := answers{404, 503}
	traced := Data(&given, telemetry.DataRequests, telemetry.New(), "site data", tracer)
	for range len(given) {
		traced.Serve(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/_data/hunter2?token=hunter2", nil), backend.Place{})
	}
	ended := tracer.Ended()
	if len(ended) != 2 || ended[0].Failed != "" || ended[1].Failed != core.CodeUnavailable {
		t.Fatalf("got %+v, want a refusal and a failure", ended)
	}
	for _, span := range ended {
		if status := span.Facts["http.response.status_code"]; span.Name != "site data" || len(span.Facts) != 1 || status == nil {
			t.Errorf("got %+v, want the status alone", span)
		}
	}
}

func TestGaugesOfBackendsTellTheirLoad(t *testing.T) {
	var failure error
	gauges := backendGauges(func(context.Context) (backend.Load, error) {
		return backend.Load{Open: 2, Bytes: 3000, Failures: 5}, failure
	})
	read := func() map[string]float64 {
		found := make(map[string]float64)
		for _, gauge := range gauges {
			found[gauge.Name] = gauge.Read()
		}
		return found
	}
	want := map[string]float64{"atelier_backend_environments": 2, "atelier_backend_bytes": 3000, "atelier_backend_worker_failures": 5}
	if got := read(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	failure = errors.New("the worker is gone")
	for name, value := range read() {
		if !math.IsNaN(value) {
			t.Errorf("%s: got %v while the load is unknown, want no number", name, value)
		}
	}
}
