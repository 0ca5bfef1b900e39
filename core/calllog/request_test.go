package calllog_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/ports/backend"
)

// watch has serve answer a request, and returns the answer.
func (d *desk) watch(r *http.Request, serve func(w http.ResponseWriter)) *httptest.ResponseRecorder {
	d.t.Helper()
	w := httptest.NewRecorder()
	d.Watch(w, r, d.place(), serve)
	if got := w.Header().Get(backend.UserHeader); got != "" {
		d.t.Errorf("a stranger learns the header %q", got)
	}
	return w
}

func request(t *testing.T, path string) *http.Request {
	t.Helper()
	return httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
}

func TestARequestIsLogged(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(w http.ResponseWriter)
		want   string
	}{
		{"a success of a user", func(w http.ResponseWriter) {
			w.Header().Set(backend.UserHeader, "users/ada")
			_, _ = w.Write([]byte(`{"message": "no failure"}`))
		}, "200 users/ada "},
		{"nothing", func(w http.ResponseWriter) { w.Header().Set(backend.UserHeader, "users/ada") }, "200 users/ada "},
		{"an empty answer", func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }, "204  "},
		{"an early hint", func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusCreated)
		}, "201  "},
		{"a stream", func(w http.ResponseWriter) {
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}, "200  "},
		{"a refusal", func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"message": "Failed to create record.", "data": {"text": {`))
			_, _ = w.Write([]byte(`"code": "validation_required", "message": "Cannot be blank."}}}`))
		}, "400  Failed to create record; text: Cannot be blank"},
		{"another failure", func(w http.ResponseWriter) { http.Error(w, "secret", http.StatusServiceUnavailable) }, "503  "},
		{"a long failure", func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(make([]byte, 3<<10))
			_, _ = w.Write(make([]byte, 3<<10))
		}, "400  "},
	} {
		d := newDesk(t)
		d.watch(request(t, "/_data/health"), c.answer)
		got := d.list()
		if len(got) != 1 || fmt.Sprint(got[0].Status, " ", got[0].User, " ", got[0].Error) != c.want {
			t.Errorf("%s: got %+v, want %q", c.name, got, c.want)
		}
	}
}

func TestARequestThatBreaksOffIsLogged(t *testing.T) {
	d := newDesk(t)
	ctx, leave := context.WithCancel(t.Context())
	d.watch(request(t, "/_data/realtime").WithContext(ctx), func(http.ResponseWriter) { leave() })
	func() {
		defer func() {
			if recover() == nil {
				t.Error("got no panic, want it passed on")
			}
		}()
		d.watch(request(t, "/_data/broken"), func(http.ResponseWriter) { panic(http.ErrAbortHandler) })
	}()
	for _, call := range d.list() {
		if call.Status != 499 {
			t.Errorf("got %+v, want the status 499", call)
		}
	}
	if got := len(d.list()); got != 2 {
		t.Errorf("got %d calls, want 2", got)
	}
	var none *calllog.Log
	w := httptest.NewRecorder()
	none.Watch(w, request(t, "/_data/x"), d.place(), func(w http.ResponseWriter) {
		w.Header().Set(backend.UserHeader, "users/ada")
		w.WriteHeader(http.StatusNoContent)
	})
	if w.Code != http.StatusNoContent || w.Header().Get(backend.UserHeader) != "" {
		t.Errorf("got %d %v, want the answer without the user", w.Code, w.Header())
	}
}

func TestALogHasNoSecrets(t *testing.T) {
	for address, want := range map[string]string{
		"/_data/collections/notes/records?page=2&perPage=30&filter=email%3D'ada'&sort=-created": "/_data/collections/notes/records?filter=…&page=2&perPage=30&sort=-created",
		"/_data/files/notes/abcdefghijklmno/photo_k3.png?token=eyJhbGciOi":                      "/_data/files/notes/abcdefghijklmno/photo_k3.png?…",
		"/_data/collections/users/records/ada@example.com":                                      "/_data/collections/users/records/…",
		"/_data/x/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9":                                         "/_data/x/…",
		"/_data/collections/a-collection-with-a-long-name/records":                              "/_data/collections/a-collection-with-a-long-name/records",
		"/_data/health?":          "/_data/health",
		"/_data/health?%zz&a=1;b": "/_data/health",
	} {
		d := newDesk(t)
		r := request(t, "/")
		u, err := r.URL.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		r.URL = u
		d.watch(r, func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) })
		if got := d.list()[0].Path; got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}
