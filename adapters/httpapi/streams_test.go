package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/streams"
)

func TestAStreamHasItsPlaceUntilItEnds(t *testing.T) {
	budget := streams.New(64, 2)
	open := func(during func()) error {
		r := &rest.Request{Request: httptest.NewRequest(http.MethodGet, "/", nil)}
		r.Actor.UserID = "ann"
		return bounded(budget, func(context.Context, core.Actor) bool { return false }, func(http.ResponseWriter, *rest.Request) error { during(); return nil })(httptest.NewRecorder(), r)
	}
	var third error
	first := open(func() {
		if err := open(func() { third = open(func() {}) }); err != nil {
			t.Errorf("the second: got %v, want a place", err)
		}
	})
	if first != nil || !core.IsCode(third, core.CodeRateLimited) {
		t.Errorf("got %v and %v, want a place for the first and %s for the third", first, third, core.CodeRateLimited)
	}
	if people, _ := budget.Count(); people != 0 {
		t.Errorf("got %d places taken by streams that ended, want none", people)
	}
}
