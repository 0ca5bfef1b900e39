package datawire_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// roundTrip is an http.RoundTripper.
type roundTrip func(r *http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// forward forwards a request over carry, and returns the answer.
func forward(t *testing.T, r *http.Request, as backend.Identity, carry roundTrip) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	w.Header().Set("Cache-Control", "no-store")
	datawire.Forward{
		Place: backend.Place{Project: core.NewID(), Env: core.DataLive}, As: as, Over: carry,
		Failed: func(w http.ResponseWriter, _ *http.Request, _ error) { datawire.Unavailable(w) },
	}.Serve(w, r)
	return w
}

func TestVisitorsDoNotSetTheServicesHeaders(t *testing.T) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/collections/notes/records?x=1", strings.NewReader("text"))
	r.Header = http.Header{
		"Atelier-Place": {"theirs"}, "Atelier-As": {`{"Owner":true}`}, "Atelier-Client": {"theirs"}, "X-Forwarded-For": {"theirs"}, "Cookie": {"theirs"},
		"Connection": {"keep-alive, Atelier-Place", "upgrade , x-hop,atelier-client"}, "Upgrade": {"websocket"}, "X-Hop": {"theirs"},
		"Authorization": {"token"}, "X-Two": {"a", "b"},
	}
	w := forward(t, r, backend.Identity{}, func(out *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(out.Body)
		if err != nil || string(body) != "text" || out.ContentLength != 4 || out.URL.RawQuery != "x=1" || out.Host != r.Host {
			t.Errorf("got %q, %v of %+v", body, err, out)
		}
		for _, name := range []string{"Atelier-As", "X-Forwarded-For", "Cookie", "Connection", "Upgrade", "X-Hop"} {
			if got, is := out.Header[name]; is {
				t.Errorf("got %s: %q", name, got)
			}
		}
		place := out.Header["Atelier-Place"]
		if len(place) != 1 || !strings.HasSuffix(place[0], "/live/") || len(out.Header["Atelier-Client"]) != 1 || out.Header.Get("Atelier-Client") != r.RemoteAddr {
			t.Errorf("got %q for %q", place, out.Header["Atelier-Client"])
		}
		if out.Header.Get("Authorization") != "token" || len(out.Header["X-Two"]) != 2 {
			t.Errorf("got %v, want the visitor's own headers", out.Header)
		}
		return &http.Response{
			StatusCode: http.StatusCreated, Header: http.Header{"Cache-Control": {"max-age=60"}, "Connection": {"close"}},
			ContentLength: 2, Body: io.NopCloser(strings.NewReader("ok")),
		}, nil
	})
	if got := w.Header()["Cache-Control"]; w.Code != http.StatusCreated || w.Body.String() != "ok" || len(got) != 2 || got[0] != "no-store" || w.Header().Get("Connection") != "" {
		t.Errorf("got %d %s with %v, want the service's headers to stay", w.Code, w.Body, w.Header())
	}
}

func TestTheIdentityTravels(t *testing.T) {
	forward(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/health", nil), backend.Identity{Owner: true}, func(out *http.Request) (*http.Response, error) {
		if got := out.Header.Get("Atelier-As"); !strings.Contains(got, `"Owner":true`) || out.Body != nil {
			t.Errorf("got %s and the body %v", got, out.Body)
		}
		return nil, errors.New("on purpose")
	})
}

func TestABodyThatDoesNotArriveIsRefused(t *testing.T) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/collections/notes/records", iotest.ErrReader(errors.New("on purpose")))
	r.ContentLength = 10
	w := forward(t, r, backend.Identity{}, func(*http.Request) (*http.Response, error) {
		t.Error("got a request without its body")
		return nil, errors.New("on purpose")
	})
	if w.Code != http.StatusBadRequest {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// TestAnAnswerThatBreaksOffIsCutOff sends half an answer through a server.
func TestAnAnswerThatBreaksOffIsCutOff(t *testing.T) {
	for _, length := range []int64{10, -1} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			datawire.Forward{Over: roundTrip(func(*http.Request) (*http.Response, error) {
				half := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("on purpose")))
				return &http.Response{StatusCode: http.StatusOK, ContentLength: length, Body: io.NopCloser(half)}, nil
			})}.Serve(w, r)
		}))
		answer, err := server.Client().Get(server.URL)
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			_ = answer.Body.Close()
		}
		if err == nil {
			t.Errorf("length %d: got an answer that looks whole", length)
		}
		server.Close()
	}
}
