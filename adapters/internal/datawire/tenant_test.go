package datawire_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/backend"
)

// tenantSpy is an engine that keeps whose turn it was.
type tenantSpy struct {
	datawire.Engine
	seen []core.ID
}

func (e *tenantSpy) Serve(_ http.ResponseWriter, r *http.Request, _ backend.Place, _ backend.Identity) {
	e.seen = append(e.seen, fair.Tenant(r.Context()))
	if r.Header.Get("Atelier-Tenant") != "" {
		e.seen = append(e.seen, "the header is left")
	}
}

func (e *tenantSpy) Schema(ctx context.Context, _ backend.Place) (backend.Schema, error) {
	e.seen = append(e.seen, fair.Tenant(ctx))
	return backend.Schema{}, nil
}

// TestTheOtherProcessKnowsWhoseTurnItIs sends a visitor's request, who names somebody else, and a
// call.
func TestTheOtherProcessKnowsWhoseTurnItIs(t *testing.T) {
	spy := &tenantSpy{}
	over := roundTrip(func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		// The other process has no values of this one's contexts.
		datawire.Handler{Engine: spy}.ServeHTTP(w, r.WithContext(context.Background()))
		return w.Result(), nil
	})
	r := httptest.NewRequestWithContext(fair.WithTenant(t.Context(), "theirs"), http.MethodGet, "/api/collections/notes/records", http.NoBody)
	r.Header.Set("Atelier-Tenant", "another")
	forward(t, r, backend.Identity{}, over)
	project := core.NewID()
	calls := datawire.Client{
		Use:    func() (http.RoundTripper, func(), error) { return over, func() {}, nil },
		Tenant: func(ctx context.Context, of core.ID) context.Context { return fair.WithTenant(ctx, "of "+of) },
	}
	if _, err := calls.Schema(t.Context(), backend.Place{Project: project, Env: core.DataTest}); err != nil {
		t.Fatal(err)
	}
	if len(spy.seen) != 2 || spy.seen[0] != "theirs" || spy.seen[1] != "of "+project {
		t.Errorf("the engine saw the tenants %q", spy.seen)
	}
}
