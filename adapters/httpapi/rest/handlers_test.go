package rest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// serveByID sends a request to a handler under /boxes/:boxId.
func serveByID(handle Handler, id core.ID, body string) (*httptest.ResponseRecorder, error) {
	router := NewRouter([]Route{Open(http.MethodPost, "/boxes/:boxId", handle)}, func(*Request, Route) error { return nil })
	w := httptest.NewRecorder()
	in := httptest.NewRequest(http.MethodPost, "/boxes/"+string(id), strings.NewReader(body))
	in.Header.Set("Content-Type", "application/json")
	r := NewRequest(in, "request", netip.Addr{}, http.NewResponseController(w))
	return w, router.Serve(w, r)
}

func TestHandlersByIDAnswerWhatTheUseCaseReturns(t *testing.T) {
	type body struct {
		Name string `json:"name"`
	}
	known, failure := core.NewID(), core.Errorf(core.CodeForbidden, "not yours")
	check := func(id core.ID) error {
		if id != known {
			return failure
		}
		return nil
	}
	handlers := map[string]struct {
		handle Handler
		status int
		body   string
	}{
		"a list":   {ItemsByID("boxId", func(_ context.Context, _ core.Actor, id core.ID) ([]string, error) { return nil, check(id) }), 200, `{"items":[]}`},
		"a record": {ByID("boxId", http.StatusCreated, func(_ context.Context, _ core.Actor, id core.ID) (string, error) { return "box", check(id) }), 201, `"box"`},
		"nothing":  {NothingByID("boxId", func(_ context.Context, _ core.Actor, id core.ID) error { return check(id) }), 204, ""},
		"a body": {WithBody("boxId", func(w http.ResponseWriter, _ *Request, id core.ID, in body) error {
			if err := check(id); err != nil {
				return err
			}
			return WriteJSON(w, http.StatusOK, in.Name)
		}), 200, `"red"`},
	}
	for name, c := range handlers {
		t.Run(name, func(t *testing.T) {
			w, err := serveByID(c.handle, known, `{"name":"red"}`)
			if got := strings.TrimSpace(w.Body.String()); err != nil || w.Code != c.status || got != c.body {
				t.Errorf("got %d %q, %v, want %d %q", w.Code, got, err, c.status, c.body)
			}
			if _, err := serveByID(c.handle, core.NewID(), `{"name":"red"}`); err != failure {
				t.Errorf("another id: got %v, want the use case's own error", err)
			}
			if _, err := serveByID(c.handle, "no-id", `{"name":"red"}`); core.CodeOf(err) != core.CodeNotFound {
				t.Errorf("a malformed id: got %v, want %s", err, core.CodeNotFound)
			}
		})
	}
	if _, err := serveByID(handlers["a body"].handle, known, `{"colour":"red"}`); core.CodeOf(err) != core.CodeInvalidRequest {
		t.Errorf("an unknown member: got %v, want %s", err, core.CodeInvalidRequest)
	}
}
