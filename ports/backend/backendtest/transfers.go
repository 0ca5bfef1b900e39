package backendtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
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

// insert inserts records and returns how many of them changed others.
func (s *suite) insert(t *testing.T, collection string, values ...map[string]any) int {
	t.Helper()
	changed, err := s.engine.Insert(t.Context(), s.place, collection, backend.Insertion{Records: records(values...)})
	conformance.Must(t, err)
	return changed
}

// refuses inserts records that the collection does not accept, and returns why.
func (s *suite) refuses(t *testing.T, collection string, batch backend.Insertion) *backend.RefusedRecords {
	t.Helper()
	_, err := s.engine.Insert(t.Context(), s.place, collection, batch)
	refused := new(backend.RefusedRecords)
	if !errors.As(err, &refused) || !core.IsCode(err, core.CodeValidationFailed) {
		t.Fatalf("Insert returned %v, want refused records", err)
	}
	return refused
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
	s.insert(t, "entries",
		map[string]any{"id": "abcdefghijklmno", "text": "third", "stars": 5, "author": author, "created": "2020-01-02 03:04:05.000Z"},
		map[string]any{"text": "fourth", "stars": nil, "author": nil},
	)
	got := s.owner().must(t, http.StatusOK, "GET", "collections/entries/records/abcdefghijklmno", nil)
	if got.text("text") != "third" || got.body["stars"] != 5.0 || got.text("author") != author || got.text("created") != "2020-01-02 03:04:05.000Z" {
		t.Errorf("the record reads %v", got.body)
	}
	if got := s.texts(t); !slices.Equal(got, []string{"first entry", "fourth", "second", "third"}) {
		t.Errorf("the records are %q", got)
	}
	s.insert(t, "entries")
}

func insertsUsers(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	s.insert(t, "users",
		map[string]any{"id": "annaannaannaann", "email": "anna@example.com", "password": "correct horse", "verified": true},
		map[string]any{"email": "ben@example.com"}, map[string]any{"email": "cleo@example.com"},
	)
	signIn := func(email, password string) map[string]any {
		return map[string]any{"identity": email, "password": password}
	}
	got := s.guest().must(t, http.StatusOK, "POST", "collections/users/auth-with-password", signIn("anna@example.com", "correct horse"))
	if record, _ := got.body["record"].(map[string]any); record["verified"] != true {
		t.Errorf("the user reads %v", got.body)
	}
	s.guest().must(t, http.StatusBadRequest, "POST", "collections/users/auth-with-password", signIn("ben@example.com", ""))
	_ = s.refuses(t, "users", backend.Insertion{Records: records(map[string]any{"email": "dora@example.com", "password": "short"})})
	if changed := s.insert(t, "users", map[string]any{"id": "annaannaannaann", "name": "Anna"}); changed != 1 {
		t.Errorf("Insert returned %d changed users, want 1", changed)
	}
	s.guest().must(t, http.StatusOK, "POST", "collections/users/auth-with-password", signIn("anna@example.com", "correct horse"))
	s.insert(t, "users", map[string]any{"id": "annaannaannaann", "password": "another horse"})
	s.guest().must(t, http.StatusBadRequest, "POST", "collections/users/auth-with-password", signIn("anna@example.com", "correct horse"))
	s.guest().must(t, http.StatusOK, "POST", "collections/users/auth-with-password", signIn("anna@example.com", "another horse"))
}

func insertsAgain(t *testing.T, s *suite) {
	s.apply(t, longIDs())
	const long, first, second = "550e8400-e29b-41d4-a716-446655440000", "2020-01-02 03:04:05.000Z", "2021-01-02 03:04:05.000Z"
	row := func(text string, others ...any) map[string]any {
		made := map[string]any{"id": long, "text": text, "updated": second}
		for i := 0; i+1 < len(others); i += 2 {
			made[others[i].(string)] = others[i+1]
		}
		return made
	}
	if changed := s.insert(t, "entries", row("first", "stars", 3, "created", first)); changed != 0 {
		t.Errorf("Insert returned %d changed records, want none", changed)
	}
	if changed := s.insert(t, "entries", row("again"), map[string]any{"text": "other"}); changed != 1 {
		t.Errorf("Insert returned %d changed records, want 1", changed)
	}
	got := s.owner().must(t, http.StatusOK, "GET", "collections/entries/records/"+long, nil)
	if got.text("text") != "again" || got.body["stars"] != 3.0 || got.text("created") != first || got.text("updated") != second {
		t.Errorf("the record reads %v", got.body)
	}
	s.insert(t, "entries", row("again", "stars", nil))
	if got := s.owner().must(t, http.StatusOK, "GET", "collections/entries/records/"+long, nil); got.body["stars"] != 0.0 {
		t.Errorf("the record reads %v, want no stars", got.body)
	}
	if all := s.texts(t); !slices.Equal(all, []string{"again", "other"}) {
		t.Errorf("the records are %q", all)
	}
	short := s.refuses(t, "entries", backend.Insertion{Records: records(map[string]any{"id": "abc", "text": "x"})})
	if short.Refusals[0].Field != "id" {
		t.Errorf("Insert refused %+v, want the id", short)
	}
}

func insertsNothing(t *testing.T, s *suite) {
	schema := guestbook()
	names := []string{"text", "stars", "author"}
	entries(&schema).Fields[0].Options = nil
	for _, kind := range []string{"bool", "date", "email", "url", "editor", "json", "geoPoint"} {
		names = append(names, "a_"+kind)
		entries(&schema).Fields = append(entries(&schema).Fields, backend.Field{ID: "f_a_" + kind, Name: "a_" + kind, Type: kind})
	}
	several := backend.Field{ID: "f_several", Name: "several", Type: "select", Options: options{"values": raw([]string{"a", "b"}), "maxSelect": raw(2)}}
	entries(&schema).Fields = append(entries(&schema).Fields, several)
	s.apply(t, schema)
	empty := map[string]any{"several": nil}
	for _, name := range names {
		empty[name] = nil
	}
	s.insert(t, "entries", map[string]any{}, empty)
	all := s.dump(t, "entries")
	for _, record := range all {
		delete(record, "id")
		delete(record, "created")
	}
	if len(all) != 2 || !reflect.DeepEqual(all[0], all[1]) {
		t.Errorf("the records are %v, want two alike", all)
	}
}

// longIDs is the guestbook with ids as other databases have them, and times of changes.
func longIDs() backend.Schema {
	schema := guestbook()
	to := entries(&schema)
	to.Fields = append(to.Fields,
		backend.Field{ID: "f_id", Name: "id", Type: "text", Options: options{"max": raw(36), "pattern": raw("^[a-z0-9-]+$")}},
		backend.Field{ID: "f_updated", Name: "updated", Type: "autodate", Options: options{"onCreate": raw(true), "onUpdate": raw(true)}},
	)
	return schema
}

func namesAllRefused(t *testing.T, s *suite) {
	s.filled(t)
	var many []map[string]any
	for range core.MaxRefusedRows {
		many = append(many, map[string]any{"text": "good"}, map[string]any{"text": "", "author": "nobodynobodynob"})
	}
	refused := s.refuses(t, "entries", backend.Insertion{Records: records(many...)})
	if refused.Records != core.MaxRefusedRows || len(refused.Refusals) != core.MaxRefusedRows {
		t.Fatalf("Insert refused %d records for %d reasons, want %d of each", refused.Records, len(refused.Refusals), core.MaxRefusedRows)
	}
	for i, want := range []backend.Refusal{{Index: 1, Field: "author"}, {Index: 1, Field: "text"}, {Index: 3, Field: "author"}} {
		if got := refused.Refusals[i]; got.Index != want.Index || got.Field != want.Field || got.Message == "" {
			t.Errorf("refusal %d is %+v, want the %s of record %d", i, got, want.Field, want.Index)
		}
	}
}

func triesOut(t *testing.T, s *suite) {
	s.filled(t)
	good := records(map[string]any{"id": "abcdefghijklmno", "text": "good"})
	_, err := s.engine.Insert(t.Context(), s.place, "entries", backend.Insertion{Records: good, DryRun: true})
	conformance.Must(t, err)
	_ = s.refuses(t, "entries", backend.Insertion{Records: append(good, records(map[string]any{"stars": 1})...), DryRun: true})
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the records are %q, want those from before", got)
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
		"an id of odd signs": {map[string]any{"id": "../../etc", "text": "x"}, "id"},
	} {
		refused := s.refuses(t, "entries", backend.Insertion{Records: records(good, c.second)})
		if first := refused.Refusals[0]; refused.Records != 1 || first.Index != 1 || first.Field != c.field || first.Message == "" {
			t.Errorf("%s: Insert refused %+v, want the second record's %s", name, refused, c.field)
		}
	}
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the records are %q", got)
	}
	for collection, want := range map[string]core.Code{"v": core.CodeValidationFailed, "nowhere": core.CodeNotFound, "_superusers": core.CodeNotFound} {
		if _, err := s.engine.Insert(t.Context(), s.place, collection, backend.Insertion{Records: records(map[string]any{"text": "x"})}); !core.IsCode(err, want) {
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
	s.insert(t, "entries", many...)
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
