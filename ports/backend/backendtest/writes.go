package backendtest

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// batch is the body of a batch.
func batch(requests ...map[string]any) map[string]any { return map[string]any{"requests": requests} }

// write is a request of a batch.
func write(method, path string, body map[string]any) map[string]any {
	return map[string]any{"method": method, "url": "/api/collections/" + path, "body": body}
}

func batches(t *testing.T, s *suite) {
	author, id := s.filled(t)
	w := s.guest().listen(t, "entries/*")
	entry := func(text string) map[string]any { return map[string]any{"text": text, "author": id} }
	got := author.must(t, http.StatusBadRequest, "POST", "batch", batch(
		write("POST", "entries/records", entry("kept only with the rest")),
		write("POST", "entries/records", entry("")),
	))
	if requests, _ := got.body["data"].(map[string]any)["requests"].(map[string]any); requests["1"] == nil {
		t.Errorf("the refusal does not say which request failed: %v", got.body)
	}
	if texts := s.texts(t); !slices.Equal(texts, []string{"first entry", "second"}) {
		t.Errorf("after a batch that failed, the entries are %q", texts)
	}
	first := s.owner().must(t, http.StatusOK, "GET", "collections/entries/records?sort=text", nil).items()[0].(map[string]any)["id"].(string)
	author.must(t, http.StatusOK, "POST", "batch", batch(
		write("POST", "entries/records", entry("third")),
		write("PATCH", "entries/records/"+first, map[string]any{"text": "first of all"}),
		write("PUT", "entries/records", map[string]any{"id": "abcdefghijklmno", "text": "fourth", "author": id}),
		write("PUT", "entries/records", map[string]any{"id": "abcdefghijklmno", "text": "fourth again"}),
	))
	if texts := s.texts(t); !slices.Equal(texts, []string{"first of all", "fourth again", "second", "third"}) {
		t.Errorf("after the batch, the entries are %q", texts)
	}
	if got := w.next(t); got.Record["text"] == "kept only with the rest" {
		t.Error("a listener heard of a write that was undone")
	}
	s.guest().must(t, http.StatusBadRequest, "POST", "batch", batch(write("DELETE", "entries/records/"+first, nil)))
	for _, path := range []string{"_superusers/records", "users/impersonate/" + id} {
		s.owner().must(t, http.StatusBadRequest, "POST", "batch", batch(write("POST", path, map[string]any{"email": "a@example.com", "password": password, "passwordConfirm": password})))
	}
	author.must(t, http.StatusBadRequest, "POST", "batch", batch(slices.Repeat([]map[string]any{write("POST", "entries/records", entry("x"))}, 60)...))
}

func actsAsUser(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	_, annaID := s.signUp(t, "anna@example.com")
	_, benID := s.signUp(t, "ben@example.com")
	for _, collection := range []string{"", "users"} {
		anna := caller{s: s, place: s.place, as: backend.Identity{Collection: collection, Email: "anna@example.com"}}
		anna.make(t, "entries", map[string]any{"text": "hers", "author": annaID})
		anna.must(t, http.StatusBadRequest, "POST", "collections/entries/records", map[string]any{"text": "in his name", "author": benID})
	}
	for _, as := range []backend.Identity{{Email: "nobody@example.com"}, {Collection: "nowhere", Email: "anna@example.com"}, {Collection: "entries", Email: "anna@example.com"}, {Collection: "_superusers", Email: "anna@example.com"}} {
		caller{s: s, place: s.place, as: as}.must(t, http.StatusNotFound, "GET", "collections/entries/records", nil)
	}
	session := caller{s: s, place: s.place, as: backend.Identity{Email: "anna@example.com"}}.must(t, http.StatusOK, "POST", "collections/users/auth-refresh", nil)
	signedIn := caller{s: s, place: s.place, token: session.text("token")}
	signedIn.make(t, "entries", map[string]any{"text": "hers, from a session", "author": annaID})
	// The header of a request that is served for somebody does not count.
	ben, _ := s.signUp(t, "carl@example.com")
	ben.as = backend.Identity{Email: "anna@example.com"}
	ben.make(t, "entries", map[string]any{"text": "hers, too", "author": annaID})
}

func namesUser(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	anna, id := s.signUp(t, "anna@example.com")
	forged := anna
	forged.token = anna.token[:len(anna.token)-4] + "AAAA"
	for name, c := range map[string]struct {
		by   caller
		want string
	}{
		"anna": {anna, "users/" + id}, "a guest": {s.guest(), ""}, "the owner": {s.owner(), ""}, "a forged token": {forged, ""},
		"in anna's name": {caller{s: s, place: s.place, as: backend.Identity{Email: "anna@example.com"}}, "users/" + id},
	} {
		if got := c.by.must(t, http.StatusOK, "GET", "collections/entries/records", nil).header.Get(backend.UserHeader); got != c.want {
			t.Errorf("%s: got the user %q, want %q", name, got, c.want)
		}
	}
	refused := anna.must(t, http.StatusBadRequest, "POST", "collections/entries/records", map[string]any{})
	if got := refused.header.Get(backend.UserHeader); got != "users/"+id {
		t.Errorf("refused: got the user %q, want users/%s", got, id)
	}
}

// nothingElse tries the paths of PocketBase that are not served, and invalid ones.
func nothingElse(t *testing.T, s *suite) {
	_, id := s.filled(t)
	for _, path := range []string{
		"", "_", "settings", "settings/test/email", "logs", "logs/stats", "backups", "backups/upload", "crons", "crons/x", "sql", "collections", "collections/users", "collections/import",
		"collections/meta/scaffolds", "collections/users/truncate", "collections/_superusers/records", "collections/_SUPERUSERS/records", "collections/pbc_3142635823/records",
		"collections/_superusers/auth-with-password", "collections/pbc_3142635823/auth-refresh", "collections/_superusers/request-otp",
		"collections/users/impersonate/" + id, "collections/users/records/" + id + "/external-auths", "files/_superusers/x/y", "realtime/x", "batch/x", "health/x", "oauth2-redirect/x",
		"collections/_externalAuths/records/../../_superusers/records", "../_/", "collections/entries/records/%2e%2e/x", "//collections", "collections//records",
	} {
		for _, method := range []string{"GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "HEAD"} {
			for name, c := range map[string]caller{"guest": s.guest(), "owner": s.owner()} {
				if got := c.do(t, method, path, nil); got.status != http.StatusNotFound && got.status != http.StatusMethodNotAllowed && !(method == "OPTIONS" && got.status == http.StatusNoContent) {
					t.Errorf("%s: %s /api/%s answered %d %v", name, method, path, got.status, got.body)
				}
			}
		}
	}
	for _, name := range []string{"_mfas", "_otps", "_externalAuths", "_authOrigins"} {
		if got := s.guest().do(t, "GET", "collections/"+name+"/records", nil); got.status == http.StatusOK && len(got.items()) > 0 || got.status >= 500 {
			t.Errorf("a guest reads %s: %d %v", name, got.status, got.body)
		}
	}
}

func limitsRequests(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	for range 50 {
		got := s.guest().do(t, "GET", "collections/entries/records", nil)
		if got.status == http.StatusOK {
			continue
		}
		if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" || got.body["status"] != 429.0 {
			t.Errorf("a request too many answered %d %v %v", got.status, got.header, got.body)
		}
		s.owner().must(t, http.StatusOK, "GET", "collections/entries/records", nil)
		return
	}
	t.Error("no request was too many")
}

// writers is how many write at a time, and writes how often each does.
const (
	writers = 8
	writes  = 15
)

// concurrentWriters adds to one record and creates others; no sum and no record is lost.
func concurrentWriters(t *testing.T, s *suite) {
	author, id := s.filled(t)
	counter := author.make(t, "entries", map[string]any{"text": "counter", "author": id, "stars": 0})
	var wg sync.WaitGroup
	for writer := range writers {
		wg.Go(func() {
			for i := range writes {
				got := author.do(t, "POST", "collections/entries/records", map[string]any{"text": fmt.Sprintf("entry %d-%d", writer, i), "author": id})
				if got.status != http.StatusOK {
					t.Errorf("a create answered %d %v", got.status, got.body)
				}
				if got := s.guest().do(t, "GET", "collections/entries/records?perPage=1", nil); got.status != http.StatusOK {
					t.Errorf("a list answered %d %v", got.status, got.body)
				}
				if got := author.do(t, "PATCH", "collections/entries/records/"+counter, map[string]any{"stars": float64(i)}); got.status != http.StatusOK {
					t.Errorf("an update answered %d %v", got.status, got.body)
				}
			}
		})
	}
	wg.Wait()
	stats, err := s.engine.Stats(t.Context(), s.place)
	conformance.Must(t, err)
	if want := int64(writers*writes + 3); stats.Collections["entries"] != want {
		t.Errorf("there are %d entries, want %d", stats.Collections["entries"], want)
	}
}

// reopensUnderLoad restarts the engine while people write.
func reopensUnderLoad(t *testing.T, s *suite) {
	author, id := s.filled(t)
	var engine atomic.Pointer[Engine]
	engine.Store(&s.engine)
	var acknowledged sync.Map
	var wg sync.WaitGroup
	done := make(chan struct{})
	for writer := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				as := author
				as.s = &suite{engine: *engine.Load()}
				got := as.do(t, "POST", "collections/entries/records", map[string]any{"text": fmt.Sprintf("entry %d-%d", writer, i), "author": id})
				switch got.status {
				case http.StatusOK:
					acknowledged.Store(got.text("id"), true)
				case http.StatusServiceUnavailable:
				default:
					t.Errorf("a create answered %d %v", got.status, got.body)
				}
			}
		})
	}
	for range 3 {
		for _, query := range []string{"SELECT count(*) FROM entries", "SELECT text FROM entries LIMIT 1"} {
			_, err := (*engine.Load()).Query(t.Context(), s.place, query)
			conformance.Must(t, err)
		}
		reopened := s.harness.Reopen(t)
		engine.Store(&reopened)
	}
	close(done)
	wg.Wait()
	s.engine = *engine.Load()
	acknowledged.Range(func(key, _ any) bool {
		s.guest().must(t, http.StatusOK, "GET", "collections/entries/records/"+key.(string), nil)
		return true
	})
}
