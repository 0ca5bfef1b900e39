package backendtest

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// entries returns the collection of entries of a guestbook.
func entries(schema *backend.Schema) *backend.Collection { return &schema.Collections[1] }

// filled applies the guestbook and makes a user with two entries.
func (s *suite) filled(t *testing.T) (author caller, authorID string) {
	t.Helper()
	s.apply(t, guestbook())
	author, authorID = s.signUp(t, "anna@example.com")
	for _, text := range []string{"first entry", "second"} {
		author.must(t, http.StatusOK, "POST", "collections/entries/records", map[string]any{"text": text, "stars": 3, "author": authorID})
	}
	return author, authorID
}

func (s *suite) texts(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, item := range s.owner().must(t, http.StatusOK, "GET", "collections/entries/records?sort=text", nil).items() {
		text, _ := item.(map[string]any)["text"].(string)
		texts = append(texts, text)
	}
	return texts
}

func addsField(t *testing.T, s *suite) {
	s.filled(t)
	schema := guestbook()
	entries(&schema).Fields = append(entries(&schema).Fields, backend.Field{ID: "f_likes", Name: "likes", Type: "number"})
	s.apply(t, schema)
	got := s.owner().must(t, http.StatusOK, "GET", "collections/entries/records", nil)
	if first := got.items()[0].(map[string]any); first["likes"] != 0.0 || first["text"] == "" {
		t.Errorf("the record reads %v", first)
	}
}

func renames(t *testing.T, s *suite) {
	s.filled(t)
	schema := guestbook()
	entries(&schema).Name = "posts"
	entries(&schema).Fields[0].Name = "body"
	s.apply(t, schema)
	got := s.owner().must(t, http.StatusOK, "GET", "collections/posts/records?sort=body", nil)
	if first := got.items()[0].(map[string]any); first["body"] != "first entry" {
		t.Errorf("the record reads %v", first)
	}
	s.owner().must(t, http.StatusNotFound, "GET", "collections/entries/records", nil)
}

func swapsNames(t *testing.T, s *suite) {
	s.filled(t)
	schema := guestbook()
	entries(&schema).Fields = append(entries(&schema).Fields, backend.Field{ID: "f_note", Name: "note", Type: "text"})
	s.apply(t, schema)
	fields := entries(&schema).Fields
	fields[0].Name, fields[len(fields)-1].Name = "note", "text"
	s.apply(t, schema)
	got := s.owner().must(t, http.StatusOK, "GET", "collections/entries/records?sort=note", nil)
	if first := got.items()[0].(map[string]any); first["note"] != "first entry" || first["text"] != "" {
		t.Errorf("the record reads %v", first)
	}
}

// swapsCollections exchanges two names, passes three on in a ring, and gives one away whose new name
// was free. A view reads one of them all the time.
func swapsCollections(t *testing.T, s *suite) {
	s.filled(t)
	schema := guestbook()
	for _, name := range []string{"notes", "tags"} {
		schema.Collections = append(schema.Collections, backend.Collection{
			ID: "pbc_" + name, Name: name, Type: backend.Base, Fields: []backend.Field{{ID: "f_text", Name: "text", Type: "text"}},
		})
	}
	view := backend.Collection{ID: "pbc_view", Name: "texts", Type: backend.View}
	name := func(entries, notes, tags string) {
		t.Helper()
		schema.Collections[1].Name, schema.Collections[2].Name, schema.Collections[3].Name = entries, notes, tags
		view.Options = options{"viewQuery": raw("SELECT id, text FROM " + notes)}
		s.apply(t, backend.Schema{Collections: append(slices.Clone(schema.Collections), view)})
	}
	name("entries", "notes", "tags")
	s.owner().must(t, http.StatusOK, "POST", "collections/notes/records", map[string]any{"text": "a note"})
	s.owner().must(t, http.StatusOK, "POST", "collections/tags/records", map[string]any{"text": "a tag"})
	for _, names := range [][3]string{{"notes", "entries", "tags"}, {"entries", "tags", "notes"}, {"tags", "notes", "entries"}, {"free", "tags", "notes"}, {"entries", "notes", "tags"}} {
		name(names[0], names[1], names[2])
		for i, want := range []string{"first entry", "a note", "a tag", "a note"} {
			from := append(names[:], "texts")[i]
			got := s.owner().must(t, http.StatusOK, "GET", "collections/"+from+"/records?sort=text", nil)
			if first := got.items()[0].(map[string]any); first["text"] != want {
				t.Errorf("named %v, %s reads %v, want %q", names, from, first, want)
			}
		}
	}
}

func dropsWhatIsMissing(t *testing.T, s *suite) {
	s.filled(t)
	schema := guestbook()
	schema.Collections = schema.Collections[:1]
	s.apply(t, schema)
	s.owner().must(t, http.StatusNotFound, "GET", "collections/entries/records", nil)
	s.apply(t, guestbook())
	if got := s.texts(t); len(got) != 0 {
		t.Errorf("a new collection of the name holds %q", got)
	}
}

func emptySchema(t *testing.T, s *suite) {
	s.filled(t)
	s.apply(t, backend.Schema{})
	s.owner().must(t, http.StatusNotFound, "GET", "collections/users/records", nil)
}

// problems are schemas that no engine accepts, and where they are wrong.
func problems() map[string]struct {
	change func(schema *backend.Schema)
	want   backend.Problem
} {
	return map[string]struct {
		change func(schema *backend.Schema)
		want   backend.Problem
	}{
		"a rule with an unknown field": {
			func(schema *backend.Schema) { entries(schema).Rules.List = rule("owner = 1") },
			backend.Problem{Collection: "entries", Member: "listRule"},
		},
		"a rule that is no filter": {
			func(schema *backend.Schema) { entries(schema).Rules.Update = rule("author = = 1") },
			backend.Problem{Collection: "entries", Member: "updateRule"},
		},
		"a select without values": {
			func(schema *backend.Schema) {
				entries(schema).Fields = append(entries(schema).Fields, backend.Field{ID: "f_mood", Name: "mood", Type: "select"})
			},
			backend.Problem{Collection: "entries", Field: "mood", Member: "values"},
		},
		"an unknown type": {
			func(schema *backend.Schema) {
				entries(schema).Fields = append(entries(schema).Fields, backend.Field{ID: "f_mood", Name: "mood", Type: "colour"})
			},
			backend.Problem{Collection: "entries", Field: "mood"},
		},
		"passwords that take hours to hash": {
			func(schema *backend.Schema) { schema.Collections[0].Fields[1].Options["cost"] = raw(31) },
			backend.Problem{Collection: "users", Field: "password", Member: "cost"},
		},
		"an index that is more than one": {
			func(schema *backend.Schema) {
				entries(schema).Indexes = []string{"CREATE INDEX a ON entries (text); DROP TABLE entries"}
			},
			backend.Problem{Collection: "entries", Member: "indexes"},
		},
		"a view that attaches a database": {
			func(schema *backend.Schema) {
				schema.Collections = append(schema.Collections, backend.Collection{
					ID: "pbc_v", Name: "v", Type: backend.View, Options: options{"viewQuery": raw("SELECT id FROM entries); ATTACH DATABASE '/tmp/x' AS x; SELECT (1")},
				})
			},
			backend.Problem{Collection: "v", Member: "viewQuery"},
		},
		"a view of the engine's parameters": {
			func(schema *backend.Schema) {
				schema.Collections = append(schema.Collections, backend.Collection{
					ID: "pbc_v", Name: "v", Type: backend.View, Options: options{"viewQuery": raw("SELECT id, value FROM _params")},
				})
			},
			backend.Problem{Collection: "v", Member: "viewQuery"},
		},
	}
}

func refusesWrongSchemas(t *testing.T, s *suite) {
	s.filled(t)
	for name, c := range problems() {
		schema := guestbook()
		c.change(&schema)
		for call, do := range map[string]func() error{
			"Check": func() error { return s.engine.Check(t.Context(), s.place, schema) },
			"Apply": func() error { return s.engine.Apply(t.Context(), s.place, schema) },
		} {
			err := do()
			problem := new(backend.Problem)
			if !errors.As(err, &problem) || !core.IsCode(err, core.CodeValidationFailed) {
				t.Errorf("%s: %s returned %v, want a problem", name, call, err)
				continue
			}
			if problem.Collection != c.want.Collection || problem.Field != c.want.Field || problem.Member != c.want.Member || problem.Message == "" {
				t.Errorf("%s: %s found %+v, want it at %+v", name, call, *problem, c.want)
			}
		}
	}
	if got := s.texts(t); !slices.Equal(got, []string{"first entry", "second"}) {
		t.Errorf("the records are %q", got)
	}
	schema, err := s.engine.Schema(t.Context(), s.place)
	conformance.Must(t, err)
	if len(schema.Collections) != 2 {
		t.Errorf("the schema in force has %d collections", len(schema.Collections))
	}
}

func checksWithoutChange(t *testing.T, s *suite) {
	conformance.Must(t, s.engine.Check(t.Context(), s.place, guestbook()))
	if _, err := s.engine.Schema(t.Context(), s.place); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("a check made the place: %v", err)
	}
	s.filled(t)
	conformance.Must(t, s.engine.Check(t.Context(), s.place, backend.Schema{}))
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("after a check the records are %q", got)
	}
}

func weighs(t *testing.T, s *suite) {
	author, id := s.filled(t)
	author.must(t, http.StatusOK, "POST", "collections/entries/records", map[string]any{"text": strings.Repeat("long ", 30), "author": id})
	short := guestbook().Collections[1].Fields[0]
	short.Options = options{"required": raw(true), "max": raw(20)}
	got, err := s.engine.Weigh(t.Context(), s.place, []backend.Change{
		{Collection: "pbc_entries"},
		{Collection: "pbc_entries", Field: "f_text"},
		{Collection: "pbc_entries", Field: "f_stars"},
		{Collection: "pbc_entries", Field: "f_text", To: &short},
		{Collection: "pbc_users", Field: "f_name"},
		{Collection: "pbc_nowhere"},
	})
	conformance.Must(t, err)
	if want := []int64{3, 3, 2, 1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("the changes would lose %v, want %v", got, want)
	}
}

func counts(t *testing.T, s *suite) {
	s.filled(t)
	got, err := s.engine.Stats(t.Context(), s.place)
	conformance.Must(t, err)
	if got.Records != 3 || got.Users != 1 || got.Bytes <= 0 || got.Collections["entries"] != 2 {
		t.Errorf("got %+v", got)
	}
}

func removes(t *testing.T, s *suite) {
	s.filled(t)
	live := backend.Place{Project: s.place.Project, Env: core.DataLive}
	conformance.Must(t, s.engine.Apply(t.Context(), live, guestbook()))
	conformance.Must(t, s.engine.Remove(t.Context(), s.place))
	if _, err := s.engine.Schema(t.Context(), s.place); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("Schema returned %v, want code %s", err, core.CodeNotFound)
	}
	if _, err := s.engine.Schema(t.Context(), live); err != nil {
		t.Errorf("the other environment is gone: %v", err)
	}
	conformance.Must(t, s.engine.Remove(t.Context(), backend.Place{Project: s.place.Project}))
	if _, err := s.engine.Schema(t.Context(), live); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("Schema returned %v, want code %s", err, core.CodeNotFound)
	}
}
