package backendtest

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// diary is a schema with notes that their owners may open to everybody. They lie in boxes, which
// everybody sees, in drawers, which the owner of the note sees, and in a vault, which nobody sees.
func diary() backend.Schema {
	field := func(name, kind string, with options) backend.Field {
		return backend.Field{ID: "f_" + name, Name: name, Type: kind, Options: with}
	}
	to := func(collection string, most int) options {
		return options{"collectionId": raw("pbc_" + collection), "maxSelect": raw(most)}
	}
	one := func(name string, list *string, fields ...backend.Field) backend.Collection {
		return backend.Collection{ID: "pbc_" + name, Name: name, Type: backend.Base, Fields: fields, Rules: backend.Rules{List: list, View: list}}
	}
	note := field("note", "relation", to("notes", 1))
	return backend.Schema{Collections: []backend.Collection{
		{ID: "pbc_users", Name: "users", Type: backend.Auth, Fields: []backend.Field{field("name", "text", nil)}, Rules: backend.Rules{List: rule(""), View: rule("")}},
		one("notes", rule("open = true || owner = @request.auth.id"),
			field("text", "text", nil), field("stars", "number", nil), field("done", "bool", nil), field("open", "bool", nil), field("due", "date", nil),
			field("kinds", "select", options{"maxSelect": raw(3), "values": raw([]string{"new", "old", "rare"})}), field("more", "json", nil), field("place", "geoPoint", nil),
			field("owner", "relation", to("users", 1)), field("key", "text", options{"hidden": raw(true)})),
		one("boxes", rule(""), field("name", "text", nil), field("notes", "relation", to("notes", 9))),
		one("drawers", rule("note.owner = @request.auth.id"), field("label", "text", nil), note),
		one("vault", nil, field("word", "text", nil), note),
	}}
}

// world is a place with the diary of Anna, Ben and Cid.
type world struct {
	owner, guest, anna caller
}

// newWorld makes a place. Places of the same seed are the same, and those of others differ from it
// in nothing that Anna or a guest may see.
func (s *suite) newWorld(t testing.TB, seed int) world {
	t.Helper()
	place := backend.Place{Project: core.NewID(), Env: core.DataTest, Copy: s.place.Copy}
	conformance.Must(t, s.engine.Apply(t.Context(), place, diary()))
	w := world{owner: caller{s: s, place: place, as: backend.Identity{Owner: true}}, guest: caller{s: s, place: place}}
	id := func(name string) string { return name + strings.Repeat("0", 15-len(name)) }
	// Hidden values sort before visible ones in one world, and after them in the other.
	secret := func(about string) string { return []string{"0", "z"}[seed%2] + strings.Repeat("secret", seed) + about }
	put := func(collection, name string, values map[string]any) {
		values["id"] = id(name)
		w.owner.must(t, http.StatusOK, "POST", "collections/"+collection+"/records", values)
	}
	for _, name := range []string{"anna", "ben", "cid"} {
		address := name
		if name == "ben" {
			address = secret(name)
		}
		put("users", name, map[string]any{"name": name, "email": address + "@example.com", "emailVisibility": name == "cid", "password": password, "passwordConfirm": password})
	}
	notes := []map[string]any{
		{"id": "a", "owner": id("anna"), "text": "a new day", "stars": 1, "kinds": []string{"new"}, "more": map[string]any{"lang": "de", "list": []int{1, 2}}, "due": "2001-01-01 00:00:00.000Z"},
		{"id": "b", "owner": id("anna"), "text": "Old things", "stars": 2.5, "done": true, "open": true, "kinds": []string{"old", "rare"}, "place": map[string]any{"lon": 13.4, "lat": 52.5}},
		{"id": "c", "owner": id("ben"), "text": "it's ü", "stars": -3, "open": true, "kinds": []string{"new", "old"}, "more": []string{"x"}, "due": "2999-12-31 00:00:00.000Z"},
		{"id": "d", "owner": id("cid"), "text": "", "open": true, "more": "text"},
		{"id": "e", "text": "100% new", "stars": 100000, "done": true, "open": true, "more": nil},
		{"id": "f", "owner": id("ben"), "text": secret("f"), "stars": 7 - 5*seed, "done": seed%2 == 0, "kinds": []string{"new", "rare"}[:seed%3], "more": map[string]any{"lang": secret("f")}, "due": strconv.Itoa(2000+seed) + "-01-01 00:00:00.000Z"},
		{"id": "g", "owner": id("cid"), "text": secret("g"), "stars": -seed, "place": map[string]any{"lon": seed, "lat": seed}},
	}
	for _, values := range notes {
		values["key"] = secret("key")
		name, _ := values["id"].(string)
		put("notes", name, values)
	}
	for i := range seed {
		put("notes", "h"+strconv.Itoa(i), map[string]any{"owner": id("ben"), "text": secret("h"), "stars": i})
	}
	put("boxes", "one", map[string]any{"name": "one", "notes": []string{id("a"), id("c"), id("f")}})
	put("boxes", "two", map[string]any{"name": "two", "notes": []string{id("f"), id("g")}})
	for i, name := range []string{"a", "c", "f"} {
		put("drawers", "d"+strconv.Itoa(i), map[string]any{"label": map[bool]string{true: "hers", false: secret("label")}[name == "a"], "note": id(name)})
		put("vault", "v"+strconv.Itoa(i), map[string]any{"word": secret("word"), "note": id(name)})
	}
	w.anna = w.guest
	got := w.guest.must(t, http.StatusOK, "POST", "collections/users/auth-with-password", map[string]any{"identity": "anna@example.com", "password": password})
	w.anna.token = got.text("token")
	return w
}

// list sends a request for records, and returns the answer as it is.
func (c caller) list(t *testing.T, q query) (status int, body string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/collections/"+q.collection+"/records?"+q.values.Encode(), nil)
	r.Header.Set("Authorization", c.token)
	w := httptest.NewRecorder()
	c.s.engine.Serve(w, r, c.place, c.as)
	return w.Code, w.Body.String()
}

// query is a request for a list.
type query struct {
	collection string
	values     url.Values
	// want is the status, or 0 for any in words.
	want int
}

// together is how many queries are sent at a time: PocketBase delays answers without results.
const together = 32

// ask sends queries to two worlds.
func ask(t *testing.T, one, other world, queries []query) {
	t.Helper()
	next := make(chan query)
	var senders sync.WaitGroup
	for range together {
		senders.Go(func() {
			for q := range next {
				q.ask(t, one.guest, other.guest)
				q.ask(t, one.anna, other.anna)
			}
		})
	}
	for _, q := range queries {
		next <- q
	}
	close(next)
	senders.Wait()
}

// ask sends a query to two worlds, and checks that the answers are in words and the same: nothing
// in them depends on what the caller may not see.
func (q query) ask(t *testing.T, one, other caller) {
	t.Helper()
	status, said := one.list(t, q)
	otherStatus, otherSaid := other.list(t, q)
	if status < http.StatusOK || status >= http.StatusInternalServerError || q.want != 0 && status != q.want {
		t.Errorf("%s %q answered %d %.300s", q.collection, q.values, status, said)
	}
	if status != otherStatus || said != otherSaid {
		t.Errorf("%s %q tells what is hidden:\n%d %.600s\n%d %.600s", q.collection, q.values, status, said, otherStatus, otherSaid)
	}
}

// soundQueries are answered.
func soundQueries(t *testing.T, s *suite) {
	g := newGrammar(1)
	queries := make([]query, 250)
	for i := range queries {
		queries[i] = query{"notes", g.values(2, slices.Concat(plainNames(), joinedNames(), partlyHidden()), sortNames()), http.StatusOK}
	}
	ask(t, s.newWorld(t, 1), s.newWorld(t, 2), queries)
}

// spoiledQueries are answered or refused.
func spoiledQueries(t *testing.T, s *suite) {
	g := newGrammar(2)
	queries := make([]query, 400)
	for i := range queries {
		values := g.values(1, slices.Concat(plainNames(), joinedNames(), partlyHidden(), secretNames()), slices.Concat(sortNames(), secretNames()))
		name := pick(g, slices.Sorted(maps.Keys(values)))
		values.Set(name, g.spoil(values.Get(name)))
		queries[i] = query{pick(g, []string{"notes", "notes", "users", "boxes", "drawers", "vault"}), values, 0}
	}
	ask(t, s.newWorld(t, 1), s.newWorld(t, 2), queries)
}

// sortsByHidden are orders in which what is hidden would have a place.
func sortsByHidden(t *testing.T, s *suite) {
	var queries []query
	for _, collection := range []string{"users", "notes", "boxes", "drawers"} {
		for _, path := range slices.Concat(secretNames(), joinedNames(), partlyHidden(), []string{
			"email", "email:lower", "notes.text", "notes.owner.email", "notes.key", "notes_via_owner.text", "notes_via_owner.stars", "boxes_via_notes.notes.owner.email", "note.text", "note.owner.email",
		}) {
			queries = append(queries, query{collection, url.Values{"sort": {path}}, 0}, query{collection, url.Values{"sort": {"name,-" + path}}, 0})
		}
	}
	one, other := s.newWorld(t, 1), s.newWorld(t, 2)
	ask(t, one, other, queries)
	for path, collection := range map[string]string{"email": "users", "-owner.email": "notes", "id,+notes.owner.email:lower": "boxes"} {
		target := "collections/" + collection + "/records?sort=" + url.QueryEscape(path)
		one.anna.must(t, http.StatusBadRequest, "GET", target, nil)
		one.owner.must(t, http.StatusOK, "GET", target, nil)
	}
}

// filtersByHidden compare what is hidden, one by one and all at once.
func filtersByHidden(t *testing.T, s *suite) {
	one, other := s.newWorld(t, 1), s.newWorld(t, 2)
	var queries []query
	for _, path := range slices.Concat(partlyHidden(), []string{"geoDistance(owner.notes_via_owner.place.lon, 1, 1, 1)"}) {
		for _, op := range []string{"=", "!=", ">", "<", "~", "!~"} {
			for _, right := range []string{"'a'", "'0secret%'", "1", "text"} {
				every, some := path+" "+op+" "+right, "open = true && (id = '' || "+path+" ?"+op+" "+right+")"
				queries = append(queries, query{"notes", url.Values{"filter": {every}}, http.StatusBadRequest}, query{"notes", url.Values{"filter": {some}}, http.StatusOK})
				one.owner.must(t, http.StatusOK, "GET", "collections/notes/records?filter="+url.QueryEscape(every), nil)
			}
		}
	}
	ask(t, one, other, queries)
}

// subscriptionsByHidden are those whose filters compare what is hidden; others are told what their
// filters find.
func subscriptionsByHidden(t *testing.T, s *suite) {
	w := s.newWorld(t, 1)
	topic := func(filter string) string {
		return "notes/*?options=" + url.QueryEscape(`{"query":{"filter":"`+filter+`"}}`)
	}
	listener := w.anna.listen(t, topic("text ?~ 'heard' && owner.notes_via_owner.text ?~ 'new'"))
	for _, path := range partlyHidden() {
		got := w.anna.do(t, "POST", "realtime", map[string]any{"clientId": listener.id, "subscriptions": []string{"boxes/*", topic(path + " !~ '0'")}})
		if got.status != http.StatusBadRequest {
			t.Errorf("a subscription by %s answered %d %v", path, got.status, got.body)
		}
	}
	for _, text := range []string{"of no interest", "heard"} {
		w.owner.make(t, "notes", map[string]any{"text": text, "open": true, "owner": "anna" + strings.Repeat("0", 11)})
	}
	if got := listener.next(t); got.Record["text"] != "heard" {
		t.Errorf("the listener is told %v", got.Record)
	}
}

// joinsOfFilters checks that && finds what both parts find, and || what one of them does. For
// several values at a path that does not hold, since both parts speak of the same one.
func joinsOfFilters(t *testing.T, s *suite) {
	w, g := s.newWorld(t, 1), newGrammar(3)
	found := func(filter string) (ids []string) {
		t.Helper()
		for _, item := range w.owner.must(t, http.StatusOK, "GET", "collections/notes/records?"+url.Values{"filter": {filter}, "fields": {"id"}}.Encode(), nil).items() {
			id, _ := item.(map[string]any)["id"].(string)
			ids = append(ids, id)
		}
		slices.Sort(ids)
		return ids
	}
	for range 60 {
		a, b := g.filter(1, plainNames()), g.filter(1, plainNames())
		inA, inB := found(a), found(b)
		both := slices.DeleteFunc(slices.Clone(inA), func(id string) bool { return !slices.Contains(inB, id) })
		if got := found("(" + a + ") && (" + b + ")"); !slices.Equal(got, both) {
			t.Errorf("(%s) && (%s) found %q, want %q", a, b, got, both)
		}
		either := slices.Compact(slices.Sorted(slices.Values(slices.Concat(inA, inB))))
		if got := found("(" + a + ") || (" + b + ")"); !slices.Equal(got, either) {
			t.Errorf("(%s) || (%s) found %q, want %q", a, b, got, either)
		}
	}
}
