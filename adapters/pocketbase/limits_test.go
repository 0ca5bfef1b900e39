package pocketbase_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/backend"
)

// openWith returns an engine that is closed at the end of the test.
func openWith(t testing.TB, config pocketbase.Config) *pocketbase.Engine {
	t.Helper()
	config.Dir = t.TempDir()
	return reopenWith(t, config)
}

// reopenWith is openWith on a folder that may have data already.
func reopenWith(t testing.TB, config pocketbase.Config) *pocketbase.Engine {
	t.Helper()
	config.Log = slog.New(slog.DiscardHandler)
	engine, err := pocketbase.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine
}

// notes is a schema with one collection that is open to everybody, and with views.
func notes(views ...backend.Collection) backend.Schema {
	open := ""
	rules := backend.Rules{List: &open, View: &open, Create: &open, Update: &open, Delete: &open}
	text := backend.Field{ID: "text1", Name: "text", Type: "text", Options: map[string]json.RawMessage{"max": json.RawMessage("10000000")}}
	own := backend.Collection{ID: "notes0000000001", Name: "notes", Type: backend.Base, Fields: []backend.Field{text}, Rules: rules}
	return backend.Schema{Collections: append([]backend.Collection{own}, views...)}
}

// aPlace returns a place with a schema.
func aPlace(t testing.TB, engine *pocketbase.Engine, schema backend.Schema) backend.Place {
	t.Helper()
	place := backend.Place{Project: core.NewID(), Env: core.DataTest}
	if err := engine.Apply(t.Context(), place, schema); err != nil {
		t.Fatal(err)
	}
	return place
}

// ask sends a guest's request.
func ask(t testing.TB, engine *pocketbase.Engine, place backend.Place, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), method, "/api/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	engine.Serve(w, r, place, backend.Identity{})
	return w
}

func wants(t *testing.T, got *httptest.ResponseRecorder, status int, text string) {
	t.Helper()
	if got.Code != status || !strings.Contains(got.Body.String(), text) {
		t.Fatalf("got %d %s, want %d with %q", got.Code, got.Body, status, text)
	}
}

func TestAFullDatabaseRefusesMoreAndStillReads(t *testing.T) {
	engine := openWith(t, pocketbase.Config{Limits: pocketbase.Limits{Bytes: 2 << 20, Requests: 1e6}})
	place := aPlace(t, engine, notes())
	const full = "The records of this application have reached their limit of 2 MiB."
	body := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 100_000))
	var last *httptest.ResponseRecorder
	for range 30 {
		if last = ask(t, engine, place, "POST", "collections/notes/records", body); last.Code != http.StatusOK {
			break
		}
	}
	wants(t, last, http.StatusRequestEntityTooLarge, full)
	wants(t, last, http.StatusRequestEntityTooLarge, `"error":"payload_too_large"`)
	wants(t, ask(t, engine, place, "POST", "batch", `{"requests":[{"method":"POST","url":"/api/collections/notes/records","body":`+body+`}]}`), http.StatusRequestEntityTooLarge, full)
	_, err := engine.Insert(t.Context(), place, "notes", backend.Insertion{Records: []json.RawMessage{json.RawMessage(body)}})
	if !core.IsCode(err, core.CodePayloadTooLarge) {
		t.Errorf("got %v for an import, want %s", err, core.CodePayloadTooLarge)
	}
	wants(t, ask(t, engine, place, "GET", "collections/notes/records?perPage=1", ""), http.StatusOK, `"items"`)
	var first struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(ask(t, engine, place, "GET", "collections/notes/records?perPage=1", "").Body.Bytes(), &first); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, engine, place, "DELETE", "collections/notes/records/"+first.Items[0].ID, ""); got.Code != http.StatusNoContent {
		t.Fatalf("got %d %s for a deletion, want room made", got.Code, got.Body)
	}
	wants(t, ask(t, engine, place, "POST", "collections/notes/records", `{"text":"small"}`), http.StatusOK, "small")
}

func TestAQueryThatTakesTooLongIsEnded(t *testing.T) {
	dir, open := t.TempDir(), ""
	filled := reopenWith(t, pocketbase.Config{Dir: dir})
	// Each note costs the view some hundred thousand steps.
	slow := backend.Collection{
		ID: "slow00000000001", Name: "slow", Type: backend.View, Rules: backend.Rules{List: &open, View: &open},
		Options: map[string]json.RawMessage{"viewQuery": json.RawMessage(
			`"SELECT n.id AS id, (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x < 100000000 AND n.id != '') SELECT max(x) FROM c) AS top FROM notes n"`)},
	}
	place := aPlace(t, filled, notes(slow))
	wants(t, ask(t, filled, place, "POST", "collections/notes/records", `{"text":"one","id":"abcdefghijklmno"}`), http.StatusOK, "one")
	if err := filled.Close(); err != nil {
		t.Fatal(err)
	}
	engine := reopenWith(t, pocketbase.Config{Dir: dir, Limits: pocketbase.Limits{Query: 200 * time.Millisecond, Requests: 1e6}})
	for _, path := range []string{"collections/slow/records", "collections/slow/records/abcdefghijklmno", "collections/slow/records?skipTotal=1&sort=-top"} {
		wants(t, ask(t, engine, place, "GET", path, ""), http.StatusBadRequest, "The query took longer than 200ms")
	}
}

func TestRequestsBeyondTheLimitAreRefusedWithIt(t *testing.T) {
	engine := openWith(t, pocketbase.Config{Limits: pocketbase.Limits{Requests: 2}})
	place := aPlace(t, engine, notes())
	var last *httptest.ResponseRecorder
	for range 4 {
		last = ask(t, engine, place, "GET", "collections/notes/records", "")
	}
	wants(t, last, http.StatusTooManyRequests, "at most 2 requests a second")
}

// askAs sends a guest's request to an application of a workspace.
func askAs(t testing.TB, engine *pocketbase.Engine, place backend.Place, workspace core.ID, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(fair.WithTenant(t.Context(), workspace), http.MethodGet, "/api/"+path, http.NoBody)
	engine.Serve(w, r, place, backend.Identity{})
	return w
}
