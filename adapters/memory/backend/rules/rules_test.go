package rules_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/rules"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

func field(name, kind, options string) port.Field {
	f := port.Field{ID: "f_" + name, Name: name, Type: kind}
	if options != "" {
		if err := json.Unmarshal([]byte(options), &f.Options); err != nil {
			panic(err)
		}
	}
	return f
}

// library has users, who wrote books, which are in shelves.
func library(t *testing.T) *records.State {
	t.Helper()
	everybody := ""
	open := port.Rules{List: &everybody}
	state, err := records.New().Migrate(port.Schema{Collections: []port.Collection{
		{ID: "c_users", Name: "users", Type: port.Auth, Rules: open, Fields: []port.Field{field("name", "text", "")}},
		{ID: "c_books", Name: "books", Type: port.Base, Rules: open, Fields: []port.Field{
			field("title", "text", ""), field("pages", "number", ""), field("public", "bool", ""),
			field("tags", "select", `{"values":["new","old","rare"],"maxSelect":3}`),
			field("more", "json", ""), field("at", "geoPoint", ""), field("note", "text", `{"hidden":true}`),
			field("author", "relation", `{"collectionId":"c_users"}`),
		}},
		{ID: "c_shelves", Name: "shelves", Type: port.Base, Fields: []port.Field{
			field("room", "text", ""), field("books", "relation", `{"collectionId":"c_books","maxSelect":9}`),
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	tx := records.Begin(state)
	put := func(collection, id, row string) {
		r := records.NewRow(tx.Collection(collection))
		r.ID = id
		var given map[string]any
		if err := json.Unmarshal([]byte(row), &given); err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Collection.Fields {
			if value, ok := given[f.Name]; ok {
				r.Values[f.Key] = f.Normalize(value)
			}
		}
		if err := tx.Put(r, records.Create); err != nil {
			t.Fatal(err)
		}
	}
	put("users", "ada", `{"name":"Ada","email":"ada@x.test","emailVisibility":true}`)
	put("users", "bob", `{"name":"Bob","email":"bob@x.test"}`)
	put("books", "a", `{"title":"Anna","pages":100,"public":true,"tags":["new"],"more":{"lang":{"code":"de"},"list":[1,2]},"at":{"lon":13.4,"lat":52.5},"note":"x","author":"ada"}`)
	put("books", "b", `{"title":"Berge","pages":200,"tags":["new","old"],"more":{},"author":"bob"}`)
	put("books", "c", `{"title":"Ciel","pages":300,"tags":[],"more":null}`)
	put("shelves", "s", `{"room":"hall","books":["a","b"]}`)
	return tx.State
}

// matches returns the ids of the books for which a filter holds.
func matches(t *testing.T, scope rules.Scope, text string) (string, error) {
	t.Helper()
	made, err := scope.Compile(text)
	if err != nil {
		return "", err
	}
	var ids strings.Builder
	for _, one := range scope.State.Rows(scope.Base) {
		holds, err := made.Holds(one)
		if err != nil {
			return "", err
		}
		if holds {
			ids.WriteString(one.ID)
		}
	}
	return ids.String(), nil
}

func TestFilters(t *testing.T) {
	state := library(t)
	users, books := state.Collection("users"), state.Collection("books")
	ada, _ := state.Find(users, "ada")
	scope := rules.Scope{State: state, Base: books, Trusted: true, Request: &rules.Request{
		Context: "default", Method: "PATCH", Auth: ada,
		Query:   map[string]string{"room": "hall"},
		Headers: map[string]string{"x_key": "secret"},
		Body:    map[string]any{"title": "Anna", "pages": "200", "tags": []any{"old", "rare"}, "author": "ada", "extra": map[string]any{"a": "1"}},
	}}
	for text, want := range map[string]string{
		"pages > 100":                              "bc",
		"pages >= 100 && pages < 300":              "ab",
		"public = true":                            "a",
		"title ~ 'E'":                              "bc",
		"title ~ 'a%'":                             "a",
		"title !~ 'n'":                             "bc",
		"title:lower = 'anna'":                     "a",
		"author = null":                            "c",
		"author.name = 'Bob' || pages = 300":       "bc",
		"author.name != 'Bob'":                     "ac",
		"tags:length = 2":                          "b",
		"tags:each = 'new'":                        "a",
		"tags:each ?= 'old'":                       "b",
		"tags ?~ 'old'":                            "b",
		"more.lang.code = 'de'":                    "a",
		"more.list.1 = 2":                          "a",
		"more = null":                              "c",
		"note = 'x'":                               "a",
		"shelves_via_books.room = 'hall'":          "ab",
		"shelves_via_books.id = null":              "c",
		"geoDistance(at.lon, at.lat, 13, 52) < 99": "a",
		"@now > '2020-01-01' && id = 'a'":          "a",
		"@year < 2000":                             "",

		"@collection.shelves.books ?~ id":                                "ab",
		"@collection.shelves.room ?= @request.query.room && id = 'c'":    "c",
		"@collection.users:x.name ?= 'Ada' && author = @request.auth.id": "a",

		"author = @request.auth.id":                          "a",
		"@request.auth.name = 'Ada' && id = 'b'":             "b",
		"@request.auth.collectionName = 'users' && id = 'b'": "b",
		"@request.auth.nothing = null && id = 'b'":           "b",
		"@request.auth.name:isset = true && id = 'b'":        "b",
		"@request.context = 'default' && id = 'b'":           "b",
		"@request.method = 'PATCH' && id = 'b'":              "b",
		"@request.headers.x_key = 'secret' && id = 'b'":      "b",
		"@request.query.other = '' && id = 'b'":              "b",
		"title = @request.body.title":                        "a",
		"pages = @request.body.pages":                        "b",
		"@request.body.title:changed = true":                 "bc",
		"@request.body.pages:changed = false":                "b",
		"@request.body.public:isset = false && id = 'b'":     "b",
		"@request.body.title:isset = true && id = 'b'":       "b",
		"@request.body.tags:length = 2 && id = 'b'":          "b",
		"@request.body.tags:each != 'new' && id = 'b'":       "b",
		"@request.body.tags:each ?= 'rare' && id = 'b'":      "b",
		"@request.body.author.name = 'Ada' && id = 'b'":      "b",
		"@request.body.extra.a = 1 && id = 'b'":              "b",
		"@request.body.nothing = null && id = 'b'":           "b",
		"@request.body.title:lower = 'anna' && id = 'b'":     "b",
	} {
		if got, err := matches(t, scope, text); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestStrangersFiltersSeeLess(t *testing.T) {
	state := library(t)
	scope := rules.Scope{State: state, Base: state.Collection("books"), Request: &rules.Request{}}
	for text, want := range map[string]string{
		"author.email = 'ada@x.test'": "a",
		"author.email = 'bob@x.test'": "",
		"author.email != 'x'":         "a",
	} {
		if got, err := matches(t, scope, text); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"note = 'x'":                      `"note" cannot be used`,
		"shelves_via_books.room = 'hall'": `"shelves" cannot be used`,
		"author.password = ''":            `"password" cannot be used`,
		"nothing = 1":                     `unknown field "nothing"`,
		"title.nothing = 1":               `unknown field "title"`,
		"title:each = 1":                  "has no meaning",
		"f(1) = 1":                        `unknown function "f"`,
		"@collection.none.id = 1":         `unknown collection "none"`,
		"@request.body.title:none = 1":    `unknown modifier "none"`,
		"author.id.id.id.id.id.id.id = 1": "too long",
		"title =":                         "",
	} {
		if _, err := matches(t, scope, text); !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestSortKeys(t *testing.T) {
	state := library(t)
	books := state.Collection("books")
	scope := rules.Scope{State: state, Base: books, Trusted: true, Request: &rules.Request{}}
	rows := state.Rows(books)
	for name, want := range map[string][]any{
		"pages":          {100.0, 200.0, 300.0},
		"author.name":    {"Ada", "Bob", nil},
		"more.lang.code": {"de", nil, nil},
		"@rowid":         {3.0, 4.0, 5.0},
	} {
		key, err := scope.SortKey(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, one := range rows {
			if got := key(one); got != want[i] {
				t.Errorf("%s of %s: got %v, want %v", name, one.ID, got, want[i])
			}
		}
	}
	for _, name := range []string{"nothing", "@request.auth.id", "@now"} {
		if _, err := scope.SortKey(name); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCheck(t *testing.T) {
	state := library(t)
	if err := rules.Check(state); err != nil {
		t.Error(err)
	}
	wrong := "nothing = 1"
	state.Collection("users").Auth.ManageRule = &wrong
	var problem *port.Problem
	if err := rules.Check(state); !errors.As(err, &problem) || problem.Collection != "users" || problem.Member != "manageRule" {
		t.Errorf("got %v, want a problem of users' manageRule", err)
	}
}
