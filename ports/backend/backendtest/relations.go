package backendtest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// blog is the guestbook with posts, which have tags, and comments that only the author of the
// post may see. Nobody but members may see the tags' secrets.
func blog() backend.Schema {
	schema := guestbook()
	signedIn := rule("@request.auth.id != ''")
	schema.Collections = append(schema.Collections,
		backend.Collection{ID: "pbc_tags", Name: "tags", Type: backend.Base,
			Fields: []backend.Field{
				{ID: "f_tag", Name: "name", Type: "text", Options: options{"required": raw(true)}},
				{ID: "f_secret", Name: "secret", Type: "text", Options: options{"hidden": raw(true)}},
			},
			Indexes: []string{"CREATE UNIQUE INDEX idx_tags_name ON tags (name)"},
			Rules:   backend.Rules{List: rule(""), View: rule(""), Create: signedIn, Update: signedIn, Delete: signedIn}},
		backend.Collection{ID: "pbc_posts", Name: "posts", Type: backend.Base,
			Fields: []backend.Field{
				{ID: "f_title", Name: "title", Type: "text"},
				{ID: "f_tags", Name: "tags", Type: "relation", Options: options{"collectionId": raw("pbc_tags"), "maxSelect": raw(9)}},
				{ID: "f_writer", Name: "writer", Type: "relation", Options: options{"collectionId": raw("pbc_users"), "maxSelect": raw(1), "required": raw(true)}},
			},
			Rules: backend.Rules{List: rule(""), View: rule(""), Create: signedIn, Update: signedIn, Delete: signedIn}},
		backend.Collection{ID: "pbc_comments", Name: "comments", Type: backend.Base,
			Fields: []backend.Field{
				{ID: "f_words", Name: "words", Type: "text"},
				{ID: "f_post", Name: "post", Type: "relation", Options: options{"collectionId": raw("pbc_posts"), "maxSelect": raw(1), "cascadeDelete": raw(true)}},
			},
			Rules: backend.Rules{List: rule("post.writer = @request.auth.id"), View: rule("post.writer = @request.auth.id"), Create: signedIn}},
	)
	return schema
}

// make creates a record and returns its id.
func (c caller) make(t *testing.T, collection string, values map[string]any) string {
	t.Helper()
	return c.must(t, http.StatusOK, "POST", "collections/"+collection+"/records", values).text("id")
}

// found returns the texts of a field in a list that a filter selects.
func (c caller) found(t *testing.T, collection, field, filter string) []string {
	t.Helper()
	got := c.must(t, http.StatusOK, "GET", "collections/"+collection+"/records?sort="+field+"&filter="+url.QueryEscape(filter), nil)
	texts := []string{}
	for _, item := range got.items() {
		text, _ := item.(map[string]any)[field].(string)
		texts = append(texts, text)
	}
	return texts
}

// blogged applies the blog and makes posts of two writers: Anna's "cats" (tags a, b) and
// "dogs" (a), and Ben's "fish" without tags. Cats have a comment.
func (s *suite) blogged(t *testing.T) (anna, ben caller, ids map[string]string) {
	t.Helper()
	s.apply(t, blog())
	anna, annaID := s.signUp(t, "anna@example.com")
	ben, benID := s.signUp(t, "ben@example.com")
	ids = map[string]string{"anna": annaID, "ben": benID}
	ids["a"] = anna.make(t, "tags", map[string]any{"name": "a"})
	ids["b"] = anna.make(t, "tags", map[string]any{"name": "b"})
	ids["cats"] = anna.make(t, "posts", map[string]any{"title": "cats", "writer": annaID, "tags": []string{ids["a"], ids["b"]}})
	ids["dogs"] = anna.make(t, "posts", map[string]any{"title": "dogs", "writer": annaID, "tags": []string{ids["a"]}})
	ids["fish"] = ben.make(t, "posts", map[string]any{"title": "fish", "writer": benID})
	ids["nice"] = ben.make(t, "comments", map[string]any{"words": "nice", "post": ids["cats"]})
	return anna, ben, ids
}

func relations(t *testing.T, s *suite) {
	anna, _, ids := s.blogged(t)
	for filter, want := range map[string][]string{
		"writer = '" + ids["ben"] + "'":                     {"fish"},
		"writer.id = @request.auth.id":                      nil, // strangers must not use @request
		"tags.name ?= 'b'":                                  {"cats"},
		"title = 'dogs' || (title ~ 'CAT' && title != 'x')": {"cats", "dogs"},
		"title >= 'd' && title < 'e'":                       {"dogs"},
		"title !~ 's'":                                      {},
		"title ~ 'f%h'":                                     {"fish"},
		"tags:length > 1":                                   {"cats"},
		"created = null && title = 'dogs'":                  nil,
	} {
		if want == nil {
			if got := anna.do(t, "GET", "collections/posts/records?filter="+url.QueryEscape(filter), nil); got.status != http.StatusBadRequest && got.status != http.StatusForbidden {
				t.Errorf("%s answered %d", filter, got.status)
			}
			continue
		}
		if got := anna.found(t, "posts", "title", filter); !slices.Equal(got, want) {
			t.Errorf("%s found %q, want %q", filter, got, want)
		}
	}
	got := anna.must(t, http.StatusOK, "GET", "collections/comments/records?expand=post.tags,post.writer", nil)
	wantOne(t, got)
	post, _ := got.items()[0].(map[string]any)["expand"].(map[string]any)["post"].(map[string]any)
	expanded, _ := post["expand"].(map[string]any)
	tags, _ := expanded["tags"].([]any)
	writer, _ := expanded["writer"].(map[string]any)
	if post["title"] != "cats" || len(tags) != 2 || writer["id"] != ids["anna"] || writer["password"] != nil {
		t.Errorf("the expanded post reads %v", post)
	}
	back := anna.must(t, http.StatusOK, "GET", "collections/posts/records/"+ids["cats"]+"?expand=comments_via_post", nil)
	if comments, _ := back.body["expand"].(map[string]any)["comments_via_post"].([]any); len(comments) != 1 {
		t.Errorf("the post with its comments reads %v", back.body)
	}
}

func wantOne(t *testing.T, got answer) {
	t.Helper()
	if len(got.items()) != 1 {
		t.Fatalf("the list holds %v, want one record", got.body)
	}
}

// relationsHideNothingLess tries to learn through relations what a rule hides.
func relationsHideNothingLess(t *testing.T, s *suite) {
	anna, ben, ids := s.blogged(t)
	if got := anna.found(t, "comments", "words", ""); !slices.Equal(got, []string{"nice"}) {
		t.Errorf("the writer of the post reads %q", got)
	}
	if got := ben.found(t, "comments", "words", ""); len(got) != 0 {
		t.Errorf("a stranger reads %q", got)
	}
	back := ben.must(t, http.StatusOK, "GET", "collections/posts/records/"+ids["cats"]+"?expand=comments_via_post", nil)
	if expanded, _ := back.body["expand"].(map[string]any); len(expanded) > 0 {
		t.Errorf("a stranger expands %v", back.body)
	}
	if got := ben.found(t, "posts", "title", "comments_via_post.words ?= 'nice'"); len(got) != 0 {
		t.Errorf("a stranger finds %q by a comment that they may not see", got)
	}
	if got := anna.found(t, "posts", "title", "comments_via_post.words ?= 'nice'"); !slices.Equal(got, []string{"cats"}) {
		t.Errorf("the writer finds %q by the comment", got)
	}
	for _, filter := range []string{"tags.secret = ''", "writer.password != ''", "writer.tokenKey != ''", "@collection.users.email != ''", "@request.auth.email != ''"} {
		if got := ben.do(t, "GET", "collections/posts/records?filter="+url.QueryEscape(filter), nil); got.status != http.StatusBadRequest && got.status != http.StatusForbidden {
			t.Errorf("%s answered %d %v", filter, got.status, got.body)
		}
	}
	if got := ben.found(t, "posts", "title", "writer.email = 'anna@example.com'"); len(got) != 0 {
		t.Errorf("a stranger finds %q by an address that is not visible", got)
	}
	s.owner().must(t, http.StatusOK, "PATCH", "collections/tags/records/"+ids["a"], map[string]any{"secret": "s"})
	if got := ben.must(t, http.StatusOK, "GET", "collections/tags/records/"+ids["a"], nil); got.body["secret"] != nil {
		t.Errorf("a stranger reads a hidden field: %v", got.body)
	}
}

func multipleRelations(t *testing.T, s *suite) {
	anna, _, ids := s.blogged(t)
	for filter, want := range map[string][]string{
		"tags.name = 'a'":                 {"dogs"},
		"tags.name ?= 'a'":                {"cats", "dogs"},
		"tags.name ?!= 'a'":               {"cats", "fish"},
		"tags:each = '" + ids["a"] + "'":  {"dogs"},
		"tags:each ?= '" + ids["b"] + "'": {"cats"},
		"tags ~ '" + ids["b"] + "'":       {"cats"},
		"tags.id ?= '" + ids["b"] + "'":   {"cats"},
	} {
		if got := anna.found(t, "posts", "title", filter); !slices.Equal(got, want) {
			t.Errorf("%s found %q, want %q", filter, got, want)
		}
	}
	path := "collections/posts/records/" + ids["dogs"]
	anna.must(t, http.StatusOK, "PATCH", path, map[string]any{"tags+": ids["b"]})
	got := anna.must(t, http.StatusOK, "PATCH", path, map[string]any{"tags-": []string{ids["a"]}})
	if tags, _ := got.body["tags"].([]any); len(tags) != 1 || tags[0] != ids["b"] {
		t.Errorf("after adding and removing, the tags are %v", got.body["tags"])
	}
	anna.must(t, http.StatusBadRequest, "PATCH", path, map[string]any{"tags": []string{"missing00000000"}})
}

func cascades(t *testing.T, s *suite) {
	anna, _, ids := s.blogged(t)
	anna.must(t, http.StatusNoContent, "DELETE", "collections/posts/records/"+ids["cats"], nil)
	s.owner().must(t, http.StatusNotFound, "GET", "collections/comments/records/"+ids["nice"], nil)
	s.owner().must(t, http.StatusBadRequest, "DELETE", "collections/users/records/"+ids["ben"], nil)
	anna.must(t, http.StatusNoContent, "DELETE", "collections/tags/records/"+ids["a"], nil)
	got := anna.must(t, http.StatusOK, "GET", "collections/posts/records/"+ids["dogs"], nil)
	if tags, _ := got.body["tags"].([]any); len(tags) != 0 {
		t.Errorf("the post names a tag that is gone: %v", got.body)
	}
}

func uniqueIndexes(t *testing.T, s *suite) {
	anna, _, ids := s.blogged(t)
	got := anna.must(t, http.StatusBadRequest, "POST", "collections/tags/records", map[string]any{"name": "a"})
	if data, _ := got.body["data"].(map[string]any); data["name"] == nil {
		t.Errorf("the refusal does not say which field: %v", got.body)
	}
	anna.must(t, http.StatusBadRequest, "PATCH", "collections/tags/records/"+ids["b"], map[string]any{"name": "a"})
	anna.must(t, http.StatusOK, "PATCH", "collections/tags/records/"+ids["a"], map[string]any{"name": "a"})
	s.guest().must(t, http.StatusBadRequest, "POST", "collections/users/records", map[string]any{"email": "anna@example.com", "password": password, "passwordConfirm": password})
	schema := blog()
	schema.Collections[3].Indexes = []string{"CREATE UNIQUE INDEX idx_posts_writer ON posts (writer)"}
	if err := s.engine.Apply(t.Context(), s.place, schema); err == nil {
		t.Error("a unique index over values that are not unique was applied")
	}
	conformance.Must(t, s.engine.Check(t.Context(), s.place, blog()))
}

func views(t *testing.T, s *suite) {
	anna, _, _ := s.blogged(t)
	schema := blog()
	schema.Collections = append(schema.Collections, backend.Collection{
		ID: "pbc_titles", Name: "titles", Type: backend.View, Rules: backend.Rules{List: rule("title != 'dogs'"), View: rule("")},
		Options: options{"viewQuery": raw("SELECT id, title, writer FROM posts WHERE title != 'fish'")},
	})
	s.apply(t, schema)
	if got := anna.found(t, "titles", "title", ""); !slices.Equal(got, []string{"cats"}) {
		t.Errorf("the view reads %q", got)
	}
	if got := s.owner().found(t, "titles", "title", "title ~ 'o'"); !slices.Equal(got, []string{"dogs"}) {
		t.Errorf("the filtered view reads %q", got)
	}
	got := anna.must(t, http.StatusOK, "GET", "collections/titles/records?expand=writer", nil)
	if writer, _ := got.items()[0].(map[string]any)["expand"].(map[string]any); writer == nil {
		t.Errorf("the view's relation is not expanded: %v", got.body)
	}
	for method, path := range map[string]string{"POST": "", "PATCH": "/x", "DELETE": "/x"} {
		if got := s.owner().do(t, method, "collections/titles/records"+path, map[string]any{"title": "x"}); got.status != http.StatusBadRequest && got.status != http.StatusNotFound {
			t.Errorf("%s of a view answered %d", method, got.status)
		}
	}
	table, err := s.engine.Query(t.Context(), s.place, "SELECT title FROM titles ORDER BY title")
	conformance.Must(t, err)
	if len(table.Rows) != 2 {
		t.Errorf("a query of the view returned %v", table.Rows)
	}
}

// viewsHideSecrets selects what is hidden under other names.
func viewsHideSecrets(t *testing.T, s *suite) {
	schema := blog()
	schema.Collections = append(schema.Collections, backend.Collection{
		ID: "pbc_people", Name: "people", Type: backend.View, Rules: backend.Rules{List: rule(""), View: rule("")},
		Options: options{"viewQuery": raw("SELECT id, email AS x, password AS y, tokenKey AS z, emailVisibility FROM users")},
	})
	s.apply(t, schema)
	for _, user := range []map[string]any{
		{"email": "hidden@example.com", "password": password, "passwordConfirm": password},
		{"email": "shown@example.com", "password": password, "passwordConfirm": password, "emailVisibility": true},
	} {
		s.owner().must(t, http.StatusOK, "POST", "collections/users/records", user)
	}
	shown := map[any]bool{}
	for _, item := range s.guest().must(t, http.StatusOK, "GET", "collections/people/records", nil).items() {
		one, _ := item.(map[string]any)
		shown[one["x"]] = true
		if !isNothing(one["y"]) || !isNothing(one["z"]) {
			t.Errorf("the view shows a password or a key: %v", one)
		}
	}
	if len(shown) != 2 || !shown["shown@example.com"] || shown["hidden@example.com"] {
		t.Errorf("the view shows the addresses %v, want the visible one", shown)
	}
}

func isNothing(value any) bool { return value == nil || value == "" }

func lists(t *testing.T, s *suite) {
	anna, _, ids := s.blogged(t)
	titles := func(query string) string {
		t.Helper()
		var texts []string
		for _, item := range anna.must(t, http.StatusOK, "GET", "collections/posts/records?"+query, nil).items() {
			text, _ := item.(map[string]any)["title"].(string)
			texts = append(texts, text)
		}
		return strings.Join(texts, " ")
	}
	for query, want := range map[string]string{
		"sort=-title":                 "fish dogs cats",
		"sort=-writer.id,title":       titles("sort=-writer,title"),
		"sort=title&perPage=2":        "cats dogs",
		"sort=title&page=2&perPage=2": "fish",
		"sort=title&page=9":           "",
		"sort=%2Btitle&page=0":        "cats dogs fish",
	} {
		if got := titles(query); got != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	got := anna.must(t, http.StatusOK, "GET", "collections/posts/records?perPage=2", nil)
	if got.body["totalItems"] != 3.0 || got.body["totalPages"] != 2.0 || got.body["page"] != 1.0 || got.body["perPage"] != 2.0 {
		t.Errorf("the list says %v", got.body)
	}
	got = anna.must(t, http.StatusOK, "GET", "collections/posts/records?skipTotal=1&fields=title,expand.writer.id&expand=writer", nil)
	item := got.items()[0].(map[string]any)
	writer, _ := item["expand"].(map[string]any)["writer"].(map[string]any)
	if got.body["totalItems"] != -1.0 || len(item) != 2 || len(writer) != 1 || writer["id"] == nil {
		t.Errorf("the reduced list is %v", got.body)
	}
	got = anna.must(t, http.StatusOK, "GET", "collections/posts/records/"+ids["cats"]+"?fields=id", nil)
	if len(got.body) != 1 {
		t.Errorf("the reduced record is %v", got.body)
	}
}
