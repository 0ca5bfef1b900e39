package backendtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// records encodes records.
func records(values ...map[string]any) []json.RawMessage {
	all := make([]json.RawMessage, len(values))
	for i, value := range values {
		all[i] = raw(value)
	}
	return all
}

// dump returns the records of a collection.
func (s *suite) dump(t *testing.T, collection string) []map[string]any {
	t.Helper()
	var text bytes.Buffer
	conformance.Must(t, s.engine.Dump(t.Context(), s.place, collection, &text))
	var all []map[string]any
	for line := range strings.Lines(text.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("the line %q is no record: %v", line, err)
		}
		all = append(all, record)
	}
	return all
}

func inserts(t *testing.T, s *suite) {
	_, author := s.filled(t)
	conformance.Must(t, s.engine.Insert(t.Context(), s.place, "entries", records(
		map[string]any{"id": "abcdefghijklmno", "text": "third", "stars": 5, "author": author, "created": "2020-01-02 03:04:05.000Z"},
		map[string]any{"text": "fourth"},
	)))
	got := s.owner().must(t, http.StatusOK, "GET", "collections/entries/records/abcdefghijklmno", nil)
	if got.text("text") != "third" || got.body["stars"] != 5.0 || got.text("author") != author || got.text("created") != "2020-01-02 03:04:05.000Z" {
		t.Errorf("the record reads %v", got.body)
	}
	if got := s.texts(t); !slices.Equal(got, []string{"first entry", "fourth", "second", "third"}) {
		t.Errorf("the records are %q", got)
	}
	conformance.Must(t, s.engine.Insert(t.Context(), s.place, "entries", nil))
}

func insertsUsers(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	conformance.Must(t, s.engine.Insert(t.Context(), s.place, "users", records(
		map[string]any{"email": "anna@example.com", "password": "correct horse", "verified": true},
		map[string]any{"email": "ben@example.com"}, map[string]any{"email": "cleo@example.com"},
	)))
	signIn := func(email, password string) map[string]any {
		return map[string]any{"identity": email, "password": password}
	}
	got := s.guest().must(t, http.StatusOK, "POST", "collections/users/auth-with-password", signIn("anna@example.com", "correct horse"))
	if record, _ := got.body["record"].(map[string]any); record["verified"] != true {
		t.Errorf("the user reads %v", got.body)
	}
	s.guest().must(t, http.StatusBadRequest, "POST", "collections/users/auth-with-password", signIn("ben@example.com", ""))
	err := s.engine.Insert(t.Context(), s.place, "users", records(map[string]any{"email": "dora@example.com", "password": "short"}))
	if !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("a short password returned %v, want code %s", err, core.CodeValidationFailed)
	}
}

func insertsAllOrNone(t *testing.T, s *suite) {
	s.filled(t)
	schema := guestbook()
	schema.Collections = append(schema.Collections, backend.Collection{
		ID: "pbc_v", Name: "v", Type: backend.View, Options: options{"viewQuery": raw("SELECT id, text FROM entries")},
	})
	s.apply(t, schema)
	const id = "abcdefghijklmno"
	good := map[string]any{"id": id, "text": "good"}
	for name, c := range map[string]struct {
		second map[string]any
		field  string
	}{
		"a missing value":    {map[string]any{"stars": 1}, "text"},
		"a value too long":   {map[string]any{"text": strings.Repeat("x", 201)}, "text"},
		"nobody's relation":  {map[string]any{"text": "x", "author": "nobodynobodynob"}, "author"},
		"an id twice":        {map[string]any{"id": id, "text": "x"}, "id"},
		"an id of odd signs": {map[string]any{"id": "../../etc", "text": "x"}, "id"},
	} {
		err := s.engine.Insert(t.Context(), s.place, "entries", records(good, c.second))
		refusal := new(backend.Refusal)
		if !errors.As(err, &refusal) || refusal.Index != 1 || refusal.Field != c.field || refusal.Message == "" {
			t.Errorf("%s: Insert returned %v, want a refusal of the second record's %s", name, err, c.field)
		}
	}
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the records are %q", got)
	}
	for collection, want := range map[string]core.Code{"v": core.CodeValidationFailed, "nowhere": core.CodeNotFound, "_superusers": core.CodeNotFound} {
		if err := s.engine.Insert(t.Context(), s.place, collection, records(map[string]any{"text": "x"})); !core.IsCode(err, want) {
			t.Errorf("Insert into %s returned %v, want code %s", collection, err, want)
		}
	}
}

func dumps(t *testing.T, s *suite) {
	_, author := s.filled(t)
	many := make([]map[string]any, 600)
	for i := range many {
		many[i] = map[string]any{"text": fmt.Sprintf("number %d", i), "stars": i}
	}
	conformance.Must(t, s.engine.Insert(t.Context(), s.place, "entries", records(many...)))
	all := s.dump(t, "entries")
	if len(all) != 602 || all[0]["text"] != "first entry" || all[0]["author"] != author || all[601]["text"] != "number 599" || all[601]["stars"] != 599.0 {
		t.Errorf("the dump has %d records: %v …", len(all), all[:min(len(all), 2)])
	}
	users := s.dump(t, "users")
	if len(users) != 1 || users[0]["email"] != "anna@example.com" || users[0]["password"] != nil || users[0]["tokenKey"] != nil {
		t.Errorf("the users are %v", users)
	}
	for _, collection := range []string{"nowhere", "_superusers", "_params"} {
		if err := s.engine.Dump(t.Context(), s.place, collection, new(bytes.Buffer)); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("Dump of %s returned %v, want code %s", collection, err, core.CodeNotFound)
		}
	}
}
