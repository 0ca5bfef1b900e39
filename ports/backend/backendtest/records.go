package backendtest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

func notFound(t *testing.T, s *suite) {
	if _, err := s.engine.Schema(t.Context(), s.place); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("Schema returned %v, want code %s", err, core.CodeNotFound)
	}
	if got := s.guest().must(t, http.StatusNotFound, "GET", "collections/entries/records", nil); got.text("error") != string(core.CodeNotFound) {
		t.Errorf("got %v, want the code %s beside PocketBase's members", got, core.CodeNotFound)
	}
	conformance.Must(t, s.engine.Remove(t.Context(), s.place))
}

func keepsSchema(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	s.engine = s.harness.Reopen(t)
	got, err := s.engine.Schema(t.Context(), s.place)
	conformance.Must(t, err)
	if len(got.Collections) != 2 || got.Collections[1].ID != "pbc_entries" || *got.Collections[1].Rules.List != "" {
		t.Errorf("the schema is %+v", got)
	}
}

func recordsLive(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	anna, id := s.signUp(t, "anna@example.com")
	made := anna.must(t, http.StatusOK, "POST", "collections/entries/records", map[string]any{"text": "hello", "author": id})
	path := "collections/entries/records/" + made.text("id")
	if got := s.guest().must(t, http.StatusOK, "GET", path, nil); got.text("text") != "hello" {
		t.Errorf("the record reads %v", got.body)
	}
	anna.must(t, http.StatusOK, "PATCH", path, map[string]any{"text": "hello again"})
	if got := s.guest().must(t, http.StatusOK, "GET", "collections/entries/records?filter=text~'again'&expand=author", nil); len(got.items()) != 1 {
		t.Errorf("the filter found %v", got.body)
	}
	for _, query := range []string{"filter=colour=1", "sort=colour"} {
		got := s.owner().must(t, http.StatusBadRequest, "GET", "collections/entries/records?"+query, nil)
		if !strings.Contains(got.text("message"), "colour") {
			t.Errorf("%s is refused with %v, which does not name the field", query, got.body)
		}
	}
	anna.must(t, http.StatusBadRequest, "POST", "collections/entries/records", map[string]any{"text": "", "author": id})
	anna.must(t, http.StatusNoContent, "DELETE", path, nil)
	s.guest().must(t, http.StatusNotFound, "GET", path, nil)
}

func rulesHold(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	s.guest().must(t, http.StatusBadRequest, "POST", "collections/entries/records", map[string]any{"text": "spam"})
	for _, path := range []string{"collections", "collections/_superusers/records", "settings", "logs", "backups", "crons", "sql", "collections/users/impersonate/abc", "collections/_superusers/auth-with-password"} {
		s.guest().must(t, http.StatusNotFound, "GET", path, nil)
		s.owner().must(t, http.StatusNotFound, "POST", path, map[string]any{})
	}
}

func peopleSignIn(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	anna, annaID := s.signUp(t, "anna@example.com")
	ben, _ := s.signUp(t, "ben@example.com")
	made := anna.must(t, http.StatusOK, "POST", "collections/entries/records", map[string]any{"text": "hers", "author": annaID})
	ben.must(t, http.StatusNotFound, "DELETE", "collections/entries/records/"+made.text("id"), nil)
	ben.must(t, http.StatusBadRequest, "POST", "collections/entries/records", map[string]any{"text": "in her name", "author": annaID})
	for _, proven := range []bool{false, true} {
		anna.must(t, http.StatusBadRequest, "PATCH", "collections/users/records/"+annaID, map[string]any{"verified": !proven})
		s.owner().must(t, http.StatusOK, "PATCH", "collections/users/records/"+annaID, map[string]any{"verified": !proven})
	}
	s.engine = s.harness.Reopen(t)
	anna.s, ben.s = s, s
	anna.must(t, http.StatusNoContent, "DELETE", "collections/entries/records/"+made.text("id"), nil)
}

func ownersSeeAll(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	_, id := s.signUp(t, "anna@example.com")
	got := s.owner().must(t, http.StatusOK, "GET", "collections/users/records/"+id, nil)
	if got.text("email") != "anna@example.com" {
		t.Errorf("a member reads %v", got.body)
	}
	if got := s.guest().must(t, http.StatusOK, "GET", "collections/users/records/"+id, nil); got.text("email") != "" {
		t.Errorf("a guest reads the address: %v", got.body)
	}
	s.owner().must(t, http.StatusOK, "POST", "collections/entries/records", map[string]any{"text": "by the owner", "author": id})
}
