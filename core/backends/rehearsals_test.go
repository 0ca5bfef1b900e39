package backends_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/backend"
)

const memberSchema = `{"collections": [
	{"name": "members", "type": "auth"},
	{"name": "notes", "listRule": "@request.auth.id != ''", "createRule": "@request.auth.id != ''", "fields": [{"name": "text", "type": "text"}]}]}`

const memberSeed = `{"members": [{"email": "anna@example.com", "password": "secret-of-anna"}], "notes": [{"text": "from the seed"}]}`

// notesOf returns how many notes a user of a copy sees, and the status of the answer.
func (h *house) notesOf(dataCopy core.ID, session json.RawMessage) (status, notes int) {
	h.t.Helper()
	var signedIn struct{ Token string }
	_ = json.Unmarshal(session, &signedIn)
	r := httptest.NewRequestWithContext(h.t.Context(), http.MethodGet, "/_data/collections/notes/records", nil)
	r.Header.Set("Authorization", signedIn.Token)
	w := httptest.NewRecorder()
	h.Serve(w, r, backend.Place{Project: h.project, Env: core.DataTest, Copy: dataCopy})
	var answer struct{ TotalItems int }
	_ = json.Unmarshal(w.Body.Bytes(), &answer)
	return w.Code, answer.TotalItems
}

func (h *house) rehearse() backends.Rehearsal {
	h.t.Helper()
	made, err := h.Rehearse(h.t.Context(), h.project)
	h.must(err)
	h.t.Cleanup(func() { made.Close(h.t.Context()) })
	return made
}

func TestARehearsalHasFreshDataAndSignsUsersIn(t *testing.T) {
	h := newHouse(t)
	h.write(core.BackendSchemaPath, memberSchema)
	h.write(core.BackendSeedPath, memberSeed)
	_, err := h.Sync(t.Context(), h.project)
	h.must(err)
	_, err = h.CreateRecord(t.Context(), h.member, backend.Place{Project: h.project, Env: core.DataTest}, "notes", "application/json", []byte(`{"text": "a person's own"}`))
	h.must(err)

	made := h.rehearse()
	one, err := made.Copy(t.Context())
	h.must(err)
	two, err := made.Copy(t.Context())
	h.must(err)
	session, err := made.SignIn(t.Context(), one, "anna@example.com")
	h.must(err)
	if status, notes := h.notesOf(one, session); status != http.StatusOK || notes != 1 {
		t.Errorf("got %d notes, %d, want the seed's", notes, status)
	}
	if _, notes := h.notesOf(two, session); notes != 0 {
		t.Errorf("got %d notes, want none: a session is valid in its own copy", notes)
	}
	_, err = made.SignIn(t.Context(), one, "eve@example.com")
	h.wantCode(err, core.CodeNotFound)

	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/_data/collections/notes/records", strings.NewReader(`{"text": "played"}`))
	r.Header.Set("Content-Type", "application/json")
	var signedIn struct{ Token string }
	h.must(json.Unmarshal(session, &signedIn))
	r.Header.Set("Authorization", signedIn.Token)
	w := httptest.NewRecorder()
	h.Serve(w, r, backend.Place{Project: h.project, Env: core.DataTest, Copy: one})
	if w.Code != http.StatusOK {
		t.Fatalf("got %d %s, want a new note in the copy", w.Code, w.Body)
	}
	if stats, err := h.engine.Stats(t.Context(), backend.Place{Project: h.project, Env: core.DataTest}); err != nil || stats.Collections["notes"] != 2 {
		t.Errorf("got %+v, %v, want the test data as it was", stats, err)
	}
	made.Remove(t.Context(), one)
	if status, _ := h.notesOf(one, session); status != http.StatusNotFound {
		t.Errorf("got %d, want a copy that is gone", status)
	}
}

func TestARehearsalOfAProjectWithoutABackendHasNoData(t *testing.T) {
	made := newHouse(t).rehearse()
	if dataCopy, err := made.Copy(t.Context()); dataCopy != "" || err != nil {
		t.Errorf("got %q, %v, want no copy", dataCopy, err)
	}
	if _, err := made.SignIn(t.Context(), "", "anna@example.com"); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want no user", err)
	}
}

func TestWrongFilesHaveNoRehearsal(t *testing.T) {
	for schema, seed := range map[string]string{
		`{"collections": 1}`: "",
		memberSchema:         `{"notes": [{"text": {}}], "nowhere": []}`,
	} {
		h := newHouse(t)
		h.write(core.BackendSchemaPath, schema)
		if seed != "" {
			h.write(core.BackendSeedPath, seed)
		}
		_, err := h.Rehearse(t.Context(), h.project)
		h.wantCode(err, core.CodeBuildFailed)
	}
}
