package records_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	port "github.com/atelierhq/atelier/ports/backend"
)

// state has a collection with one field, and one that its relations name.
func state(t *testing.T, kind, options string) *records.State {
	t.Helper()
	f := port.Field{ID: "f_value", Name: "value", Type: kind}
	if err := json.Unmarshal([]byte(options), &f.Options); err != nil {
		t.Fatal(err)
	}
	made, err := records.New().Migrate(port.Schema{Collections: []port.Collection{
		{ID: "c_things", Name: "things", Type: port.Base, Fields: []port.Field{f}},
		{ID: "c_others", Name: "others", Type: port.Base},
	}})
	if err != nil {
		t.Fatal(err)
	}
	tx := records.Begin(made)
	if err := tx.Put(row(tx.State, "others", "there", nil), records.Create); err != nil {
		t.Fatal(err)
	}
	return tx.State
}

// row is a record with a value in the field of its collection.
func row(s *records.State, collection, id string, value any) records.Row {
	made := records.NewRow(s.Collection(collection))
	made.ID = id
	if f := made.Collection.ByName("value"); f != nil && value != nil {
		made.Values[f.Key] = f.Normalize(value)
	}
	return made
}

func TestPutRefusesValues(t *testing.T) {
	for _, c := range []struct {
		kind, options string
		value         any
		// want is a part of the flaw's code, empty if the value is accepted.
		want string
	}{
		{"text", `{}`, "x", ""}, {"text", `{"required":true}`, "", "required"},
		{"text", `{"min":2}`, "x", "min_text"}, {"text", `{"max":2}`, "éé", ""}, {"text", `{"max":2}`, "xxx", "max_text"},
		{"text", `{}`, strings.Repeat("x", 5001), "max_text"}, {"text", `{"pattern":"^a+$"}`, "aab", "invalid_format"},
		{"number", `{}`, "1.5", ""}, {"number", `{}`, "x", "not_a_number"}, {"number", `{"onlyInt":true}`, 1.5, "only_int"},
		{"number", `{"min":2}`, 1, "not_a_number"}, {"number", `{"min":2}`, 1.0, "min_number"}, {"number", `{"max":2}`, 3.0, "max_number"},
		{"email", `{}`, "a@b.test", ""}, {"email", `{}`, "a", "is_email"}, {"email", `{}`, "A <a@b.test>", "is_email"},
		{"email", `{"exceptDomains":["b.test"]}`, "a@b.test", "domain"}, {"email", `{"onlyDomains":["c.test"]}`, "a@b.test", "domain"},
		{"url", `{}`, "https://a.test/b", ""}, {"url", `{}`, "a.test", "is_url"}, {"url", `{"onlyDomains":["c.test"]}`, "https://a.test", "domain"},
		{"date", `{"min":"2024-01-01"}`, "2024-06-01", ""}, {"date", `{"min":"2024-01-01"}`, "2023-06-01", "date"}, {"date", `{"max":"2024-01-01"}`, "2024-06-01", "date"},
		{"select", `{"values":["a","b"]}`, "a", ""}, {"select", `{"values":["a","b"]}`, "c", "invalid_value"},
		{"select", `{"values":["a","b"],"maxSelect":2,"minSelect":2}`, []any{"a"}, "not_enough"},
		{"select", `{"values":["a","b","c"],"maxSelect":2}`, []any{"a", "b", "c"}, "too_many"},
		{"relation", `{"collectionId":"c_others"}`, "there", ""}, {"relation", `{"collectionId":"c_others"}`, "gone", "missing_rel"},
		{"bool", `{"required":true}`, false, "required"}, {"bool", `{"required":true}`, "true", ""},
		{"json", `{}`, `{"a":1}`, ""}, {"geoPoint", `{"required":true}`, map[string]any{"lon": 0.0}, "required"},
		{"editor", `{"maxSize":5242881}`, strings.Repeat("x", 5<<20+2), "content_size"},
	} {
		s := state(t, c.kind, c.options)
		tx := records.Begin(s)
		err := tx.Put(row(s, "things", "one", c.value), records.Create)
		var invalid *records.Invalid
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s %s: got %v for %.20v", c.kind, c.options, err, c.value)
		case c.want != "" && (!errors.As(err, &invalid) || invalid.Flaws["value"] == nil || !strings.Contains(invalid.Flaws["value"].Code, c.want)):
			t.Errorf("%s %s: got %v for %.20v, want the flaw %s", c.kind, c.options, err, c.value, c.want)
		}
	}
}

func TestATransactionChangesACopy(t *testing.T) {
	before := state(t, "relation", `{"collectionId":"c_others","cascadeDelete":true}`)
	tx := records.Begin(before)
	if err := tx.Put(row(tx.State, "things", "one", "there"), records.Create); err != nil {
		t.Fatal(err)
	}
	tx.Files["c_things/one/a.txt"] = []byte("a")
	tx.OTPs["x"] = records.OTP{}
	if stats := before.Stats(); stats.Records != 1 || stats.FileBytes != 0 || len(before.OTPs) != 0 {
		t.Errorf("the state before has %+v and %d one-time passwords", stats, len(before.OTPs))
	}
	after := records.Begin(tx.State)
	there, _ := after.Find(after.Collection("others"), "there")
	if err := after.Remove(there); err != nil {
		t.Fatal(err)
	}
	if stats := after.Stats(); stats.Records != 0 || stats.FileBytes != 0 || len(after.Events) != 2 {
		t.Errorf("after a removal that cascades: %+v, %d events, want none of either and 2", stats, len(after.Events))
	}
	if stats := tx.Stats(); stats.Records != 2 || stats.FileBytes != 1 {
		t.Errorf("the removal changed the state that it began with: %+v", stats)
	}
}

func TestMigrateConverts(t *testing.T) {
	s := state(t, "text", `{}`)
	tx := records.Begin(s)
	for id, value := range map[string]string{"one": "12", "two": "no"} {
		if err := tx.Put(row(s, "things", id, value), records.Create); err != nil {
			t.Fatal(err)
		}
	}
	schema := tx.Schema
	schema.Collections = slices.Clone(schema.Collections[:1])
	schema.Collections[0].Fields = []port.Field{{ID: "f_value", Name: "count", Type: "select", Options: map[string]json.RawMessage{"values": []byte(`["12"]`), "maxSelect": []byte("2")}}}
	migrated, err := tx.Migrate(schema)
	if err != nil {
		t.Fatal(err)
	}
	things := migrated.Collection("things")
	one, _ := migrated.Find(things, "one")
	if got, ok := one.Get(things.ByName("count")).([]string); !ok || !slices.Equal(got, []string{"12"}) {
		t.Errorf("got %v, want the text as a list", one.Get(things.ByName("count")))
	}
	if names := slices.Collect(maps.Keys(migrated.Stats().Collections)); !slices.Equal(names, []string{"things"}) {
		t.Errorf("got the collections %v, want things alone", names)
	}
}

func TestViewsAreQueries(t *testing.T) {
	s := state(t, "number", `{}`)
	schema := s.Schema
	schema.Collections = append(slices.Clone(schema.Collections), port.Collection{
		ID: "c_view", Name: "totals", Type: port.View,
		Options: map[string]json.RawMessage{"viewQuery": []byte(`"SELECT id, value AS doubled, count(id) AS n FROM things GROUP BY id"`)},
	})
	migrated, err := s.Migrate(schema)
	if err != nil {
		t.Fatal(err)
	}
	tx := records.Begin(migrated)
	if err := tx.Put(row(tx.State, "things", "one", 2.0), records.Create); err != nil {
		t.Fatal(err)
	}
	view := tx.Collection("totals")
	one, ok := tx.Find(view, "one")
	if !ok || one.Get(view.ByName("doubled")) != 2.0 || one.Get(view.ByName("n")) != 1.0 || view.ByName("n").Type != "number" {
		t.Errorf("got %+v, want the thing's value 2 and the number 1", one)
	}
	if _, ok := tx.Find(view, "two"); ok {
		t.Error("found a record that the query does not return")
	}
	schema.Collections[2].Options = map[string]json.RawMessage{"viewQuery": []byte(`"SELECT value FROM things"`)}
	var problem *port.Problem
	if _, err := s.Migrate(schema); !errors.As(err, &problem) || problem.Member != "viewQuery" {
		t.Errorf("a view without an id: got %v", err)
	}
}
