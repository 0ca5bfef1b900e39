package backendtest

import (
	"encoding/json"
	"testing"

	"github.com/atelierhq/atelier/ports/backend"
)

func rule(text string) *string { return &text }

func raw(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

type options = map[string]json.RawMessage

// cheapPassword lets passwords be hashed with the least work. PocketBase's own is 64 times that,
// and most clauses have users.
func cheapPassword() backend.Field {
	return backend.Field{ID: "f_password", Name: "password", Type: "password", Options: options{"cost": raw(4)}}
}

// guestbook is a schema in which people sign in, and only the author of an entry may change it.
func guestbook() backend.Schema {
	own := rule("@request.auth.id != '' && author = @request.auth.id")
	return backend.Schema{Collections: []backend.Collection{
		{ID: "pbc_users", Name: "users", Type: backend.Auth,
			Fields: []backend.Field{{ID: "f_name", Name: "name", Type: "text"}, cheapPassword()},
			Rules:  backend.Rules{List: rule(""), View: rule(""), Create: rule(""), Update: rule("id = @request.auth.id")}},
		{ID: "pbc_entries", Name: "entries", Type: backend.Base,
			Fields: []backend.Field{
				{ID: "f_text", Name: "text", Type: "text", Options: options{"required": raw(true), "max": raw(200)}},
				{ID: "f_stars", Name: "stars", Type: "number"},
				{ID: "f_author", Name: "author", Type: "relation", Options: options{"collectionId": raw("pbc_users"), "maxSelect": raw(1)}},
				{ID: "f_created", Name: "created", Type: "autodate", Options: options{"onCreate": raw(true)}},
			},
			Rules: backend.Rules{List: rule(""), View: rule(""), Create: own, Update: own, Delete: own}},
	}}
}

func (s *suite) apply(t *testing.T, schema backend.Schema) {
	t.Helper()
	if err := s.engine.Apply(t.Context(), s.place, schema); err != nil {
		t.Fatal(err)
	}
}
