package chat_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/backend"
)

const guestbookSchema = `{"collections": [
	{"name": "users", "type": "auth", "createRule": ""},
	{"name": "entries", "type": "base", "listRule": "", "createRule": "author = @request.auth.id", "deleteRule": "author = @request.auth.id",
	 "fields": [{"name": "text", "type": "text"}, {"name": "author", "type": "relation", "collection": "users"}]}
]}`

const guestbookSeed = `{"users": [{"id": "ana", "email": "ana@example.com", "password": "correct horse"}], "entries": [{"text": "From the seed", "author": "ana"}]}`

// write changes a file as the agent does.
func (b *bench) write(path, content string) {
	b.t.Helper()
	_, err := b.open.Apply(b.t.Context(), core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}, "")
	must(b.t, err)
}

// guestbook gives the project a backend with test data, and live data with one secret.
func guestbook(t *testing.T) *bench {
	b := newBench(t)
	b.write("backend/seed.json", guestbookSeed)
	b.write("backend/schema.json", guestbookSchema)
	live := backend.Place{Project: b.project, Env: core.DataLive}
	must(t, b.engine.Apply(t.Context(), live, backend.Schema{Collections: []backend.Collection{{
		ID: "pbc_1", Name: "entries", Type: backend.Base, Fields: []backend.Field{{ID: "f1", Name: "text", Type: "text"}},
	}}}))
	_, err := b.engine.Insert(t.Context(), live, "entries", backend.Insertion{Records: []json.RawMessage{json.RawMessage(`{"text":"live secret"}`)}})
	must(t, err)
	return b
}

// ask makes a request and expects its status.
func (b *bench) ask(method, path, body string, as backend.Identity, want int) string {
	b.t.Helper()
	got, err := b.open.Request(b.t.Context(), tools.BackendRequest{Method: method, Path: path, Body: json.RawMessage(body), As: as})
	must(b.t, err)
	if got.Status != want {
		b.t.Errorf("%s %s as %+v: got %d %s, want %d", method, path, as, got.Status, got.Body, want)
	}
	return string(got.Body)
}

func TestTheAgentSeesWhatBecameOfTheSchema(t *testing.T) {
	b := newBench(t)
	if _, err := b.open.Schema(t.Context()); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v without a backend, want not_found", err)
	}
	b.write("backend/seed.json", guestbookSeed)
	b.write("backend/schema.json", guestbookSchema)
	state, err := b.open.Schema(t.Context())
	must(t, err)
	if len(state.Applied) != 2 || state.Records["entries"] != 1 || state.Records["users"] != 1 || len(state.Pending)+len(state.Wrong) > 0 {
		t.Errorf("got %+v, want two collections applied, with the seed", state)
	}
	b.write("backend/schema.json", strings.Replace(guestbookSchema, `{"name": "text", "type": "text"}, `, "", 1))
	if state, err = b.open.Schema(t.Context()); err != nil || len(state.Pending) != 1 || !state.Pending[0].Loses || len(state.Applied) > 0 {
		t.Errorf("got %+v, %v, want the loss pending", state, err)
	}
	b.write("backend/schema.json", strings.Replace(guestbookSchema, `"type": "base"`, `"type": "basis"`, 1))
	if state, err = b.open.Schema(t.Context()); err != nil || len(state.Wrong) != 1 || len(state.Pending)+len(state.Applied) > 0 {
		t.Errorf("got %+v, %v, want what is wrong", state, err)
	}
}

func TestASeedThatComesLateFillsEmptyTestData(t *testing.T) {
	b := newBench(t)
	records := func(want int64) {
		t.Helper()
		if state, err := b.open.Schema(t.Context()); err != nil || state.Records["entries"] != want {
			t.Errorf("got %+v, %v, want %d entries", state, err, want)
		}
	}
	b.write("backend/schema.json", guestbookSchema)
	records(0)
	b.write("backend/seed.json", `{"entries": [{"text": "nobody's", "nothing": `)
	if state, err := b.open.Schema(t.Context()); err != nil || len(state.Wrong) != 1 {
		t.Errorf("got %+v, %v, want what is wrong with the seed", state, err)
	}
	b.write("backend/seed.json", guestbookSeed)
	records(1)
	b.write("backend/seed.json", guestbookSeed+"\n")
	records(1)
	for _, collection := range []string{"entries", "users"} {
		table, err := b.open.Query(t.Context(), "SELECT id FROM "+collection)
		must(t, err)
		for _, row := range table.Rows {
			b.ask("DELETE", "/_data/collections/"+collection+"/records/"+row[0].(string), "", backend.Identity{Owner: true}, http.StatusNoContent)
		}
	}
	b.write("old.txt", "another file")
	records(0)
}

func TestTheAgentTriesTheRulesOfTestData(t *testing.T) {
	b := guestbook(t)
	const entries = "/_data/collections/entries/records"
	owner, ana := backend.Identity{Owner: true}, backend.Identity{Email: "ana@example.com"}
	list := b.ask("GET", entries+"?filter=text%20!%3D%20''", "", backend.Identity{}, http.StatusOK)
	var page struct {
		Items []struct{ ID, Author, Text string }
	}
	must(t, json.Unmarshal([]byte(list), &page))
	if len(page.Items) != 1 || page.Items[0].Text != "From the seed" {
		t.Fatalf("got %s, want the entry of the seed", list)
	}
	at := entries + "/" + page.Items[0].ID
	b.ask("POST", entries, `{"text":"x","author":"`+page.Items[0].Author+`"}`, backend.Identity{}, http.StatusBadRequest)
	b.ask("post", entries, `{"text":"mine","author":"`+page.Items[0].Author+`"}`, ana, http.StatusOK)
	b.ask("DELETE", at, "", backend.Identity{}, http.StatusNotFound)
	b.ask("PATCH", at, `{"text":"y"}`, ana, http.StatusForbidden)
	b.ask("PATCH", at, `{"text":"y"}`, owner, http.StatusOK)
	signedIn := b.ask("POST", "/_data/collections/users/auth-with-password", `{"identity":"ana@example.com","password":"correct horse"}`, backend.Identity{}, http.StatusOK)
	if !strings.Contains(signedIn, `"token":"(left out)"`) || !strings.Contains(signedIn, "record") {
		t.Errorf("got %s, want no token in the log", signedIn)
	}
	table, err := b.open.Query(t.Context(), "SELECT text FROM entries")
	if err != nil || len(table.Rows) != 2 {
		t.Errorf("got %+v, %v, want both entries", table, err)
	}
}

// TestNothingOfTheAgentReachesLiveData: there is no word for them in what it can call, and no
// path leads out of the test data.
func TestNothingOfTheAgentReachesLiveData(t *testing.T) {
	b := guestbook(t)
	for _, path := range []string{
		"", "/", "/_data", "/_data/", "_data/health", "/api/projects", "/_data/../api/health", "/_data/%2e%2e/x", "/_data//health",
		"/_data/realtime", "/_data/Realtime", "/_data/files/token", "/_data/files/a/b/c", "//live.example.com/_data/health",
		"https://live.example.com/_data/collections/entries/records", "/_data/health?%zz", "/_fn/x",
	} {
		got, err := b.open.Request(t.Context(), tools.BackendRequest{Method: "GET", Path: path, As: backend.Identity{Owner: true}})
		if !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%q: got %d %s, %v, want it refused", path, got.Status, got.Body, err)
		}
	}
	for _, path := range []string{"/_data/settings", "/_data/collections", "/_data/logs", "/_data/backups", "/_data/collections/_superusers/records", "/_data/projects/" + string(b.project) + "/backend/test/apply"} {
		b.ask("GET", path, "", backend.Identity{Owner: true}, http.StatusNotFound)
		b.ask("POST", path, "{}", backend.Identity{Owner: true}, http.StatusNotFound)
	}
	if _, err := b.open.Request(t.Context(), tools.BackendRequest{Method: "CONNECT", Path: "/_data/health"}); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v for an odd method, want it refused", err)
	}
	table, err := b.open.Query(t.Context(), "SELECT text FROM entries")
	if err != nil || len(table.Rows) != 1 || table.Rows[0][0] != "From the seed" {
		t.Errorf("got %+v, %v, want test data only", table, err)
	}
	b.ask("DELETE", "/_data/collections/entries/records/x", "", backend.Identity{Owner: true}, http.StatusNotFound)
	left, err := b.engine.Query(t.Context(), backend.Place{Project: b.project, Env: core.DataLive}, "SELECT text FROM entries")
	if err != nil || len(left.Rows) != 1 || left.Rows[0][0] != "live secret" {
		t.Errorf("got the live data %+v, %v, want them untouched", left, err)
	}
}

func TestTheAgentHasTheRightsOfWhoeverItWorksFor(t *testing.T) {
	b := guestbook(t)
	stranger := b.projects.Open(core.Run{ProjectID: b.project, UserID: core.NewID()})
	_, queried := stranger.Query(t.Context(), "SELECT 1")
	_, asked := stranger.Request(t.Context(), tools.BackendRequest{Method: "GET", Path: "/_data/health"})
	_, seen := stranger.Schema(t.Context())
	for _, err := range []error{queried, asked, seen} {
		if !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v for somebody without access, want not_found", err)
		}
	}
}
