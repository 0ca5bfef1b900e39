package backendtest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/ports/backend"
)

// mailbox is a backend.Post that keeps the mails.
type mailbox struct {
	mu    sync.Mutex
	mails []backend.Mail
}

// Send implements backend.Post.
func (m *mailbox) Send(_ context.Context, _ backend.Place, mail backend.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mails = append(m.mails, mail)
	return nil
}

// answer is a response with its body decoded, if that is an object.
type answer struct {
	status int
	body   map[string]any
	header http.Header
}

func (a answer) text(name string) string {
	text, _ := a.body[name].(string)
	return text
}

func (a answer) items() []any {
	items, _ := a.body["items"].([]any)
	return items
}

// caller is somebody who sends requests to a place: a guest, or an end user with a token.
type caller struct {
	s     *suite
	as    backend.Identity
	place backend.Place
	token string
	// address is where the requests come from, with a port; sign-ins are limited by it.
	address string
}

func (s *suite) guest() caller { return caller{s: s, place: s.place} }

func (s *suite) owner() caller {
	return caller{s: s, place: s.place, as: backend.Identity{Owner: true}}
}

// do sends a request with a JSON body.
func (c caller) do(t testing.TB, method, path string, body any) answer {
	t.Helper()
	text := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		text = string(encoded)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, "/api/"+path, strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	return c.send(t, r)
}

// send sends a request.
func (c caller) send(t testing.TB, r *http.Request) answer {
	t.Helper()
	if c.token != "" {
		r.Header.Set("Authorization", c.token)
	}
	if c.address != "" {
		r.RemoteAddr = c.address
	}
	w := httptest.NewRecorder()
	c.s.engine.Serve(w, r, c.place, c.as)
	got := answer{status: w.Code, header: w.Header()}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		var decoded any
		if err := json.Unmarshal(w.Body.Bytes(), &decoded); err != nil && r.Method != http.MethodHead {
			t.Fatalf("%s %s answered %d with %q: %v", r.Method, r.URL, w.Code, w.Body, err)
		}
		got.body, _ = decoded.(map[string]any) // a batch answers with a list
	}
	return got
}

// must is do for a request that has to be answered with a status.
func (c caller) must(t testing.TB, status int, method, path string, body any) answer {
	t.Helper()
	got := c.do(t, method, path, body)
	if got.status != status {
		t.Fatalf("%s %s answered %d %v, want %d", method, path, got.status, got.body, status)
	}
	return got
}

// password is that of all users of the tests.
const password = "correct horse battery"

// signUp makes an end user and signs in as them. It returns their id, too.
func (s *suite) signUp(t *testing.T, email string) (caller, string) {
	t.Helper()
	guest := s.guest()
	guest.must(t, http.StatusOK, "POST", "collections/users/records", map[string]any{"email": email, "password": password, "passwordConfirm": password})
	got := guest.must(t, http.StatusOK, "POST", "collections/users/auth-with-password", map[string]any{"identity": email, "password": password})
	record, _ := got.body["record"].(map[string]any)
	id, _ := record["id"].(string)
	return caller{s: s, place: s.place, token: got.text("token")}, id
}
