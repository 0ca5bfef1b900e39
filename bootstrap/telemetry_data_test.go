package bootstrap

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/backend"
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
	counted := countedData{&given, telemetry.DataRequests, tally}
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
