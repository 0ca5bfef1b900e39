package backendtest

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// appAddress is where the tests' application gets its codes.
const appAddress = "https://app.example/_data/api/oauth2-redirect"

// attempt is a sign-in up to the moment at which the browser is back with a code.
type attempt struct{ provider, code, verifier, redirect string }

func (a attempt) body() map[string]any {
	return map[string]any{"provider": a.provider, "code": a.code, "codeVerifier": a.verifier, "redirectURL": a.redirect}
}

// methods returns the providers that the users of a place may sign in with.
func (c caller) methods(t *testing.T, collection string) []any {
	t.Helper()
	got := c.must(t, http.StatusOK, "GET", "collections/"+collection+"/auth-methods", nil)
	oauth, _ := got.body["oauth2"].(map[string]any)
	providers, _ := oauth["providers"].([]any)
	if oauth["enabled"] != (len(providers) > 0) {
		t.Errorf("the methods are %v", oauth)
	}
	return providers
}

// leave is what a page does first: it sends the browser to the provider, where a person permits.
func (c caller) leave(t *testing.T, who person) attempt {
	t.Helper()
	providers := c.methods(t, "users")
	if len(providers) == 0 {
		t.Fatal("there is no provider")
	}
	first, _ := providers[0].(map[string]any)
	text := func(name string) string { value, _ := first[name].(string); return value }
	if text("state") == "" || !strings.HasSuffix(text("authURL"), "redirect_uri=") {
		t.Fatalf("the provider is %v", first)
	}
	return attempt{text("name"), c.s.provider.permit(t, text("authURL")+appAddress, who), text("codeVerifier"), appAddress}
}

// return is what a page does then.
func (c caller) back(t *testing.T, with attempt) answer {
	t.Helper()
	return c.do(t, "POST", "collections/users/auth-with-oauth2", with.body())
}

// enter signs in a person who is expected to get in, and returns the record.
func (c caller) enter(t *testing.T, who person) (record map[string]any, isNew bool) {
	t.Helper()
	got := c.back(t, c.leave(t, who))
	if got.status != http.StatusOK || got.text("token") == "" {
		t.Fatalf("the sign-in answered %d %v", got.status, got.body)
	}
	record, _ = got.body["record"].(map[string]any)
	meta, _ := got.body["meta"].(map[string]any)
	isNew, _ = meta["isNew"].(bool)
	refreshed := caller{s: c.s, place: c.place, token: got.text("token")}.must(t, http.StatusOK, "POST", "collections/users/auth-refresh", nil)
	if again, _ := refreshed.body["record"].(map[string]any); again["id"] != record["id"] {
		t.Errorf("the token is for %v, want %v", again, record)
	}
	return record, isNew
}

// anna is a person with an account at the provider.
func anna() person {
	return person{Subject: "anna-1", Email: "anna@example.com", Verified: true, Name: "Anna", Username: "anna"}
}

func signsInWithProvider(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	registered := s.provider.register()
	s.signIns.set(s.place, registered)
	guest := s.guest()
	first, _ := guest.methods(t, "users")[0].(map[string]any)
	if first["name"] != "oidc" || first["displayName"] != "Identity of Example" || strings.Contains(first["authURL"].(string), registered.ClientSecret) {
		t.Errorf("the provider is %v", first)
	}
	record, isNew := guest.enter(t, anna())
	if !isNew || record["email"] != "anna@example.com" || record["verified"] != true {
		t.Errorf("got %v, new %v, want a verified new user", record, isNew)
	}
	moved := anna()
	moved.Email = "elsewhere@example.com"
	again, isNew := guest.enter(t, moved)
	if isNew || again["id"] != record["id"] || again["email"] != "anna@example.com" {
		t.Errorf("got %v, new %v, want the first one", again, isNew)
	}
	s.engine = s.harness.Reopen(t)
	if again, isNew := s.guest().enter(t, anna()); isNew || again["id"] != record["id"] {
		t.Errorf("after a restart got %v, new %v, want the first one", again, isNew)
	}
	no := false
	registered.PKCE = &no
	s.signIns.set(s.place, registered)
	if with := s.guest().leave(t, anna()); with.verifier != "" {
		t.Errorf("got a verifier %q, want none", with.verifier)
	}
	if again, isNew := s.guest().enter(t, anna()); isNew || again["id"] != record["id"] {
		t.Errorf("without a verifier got %v, new %v, want the first one", again, isNew)
	}
}

func providersAndPasswords(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	s.signIns.set(s.place, s.provider.register())
	guest, users := s.guest(), "collections/users/"
	// Somebody took the address before its owner came.
	_, taken := s.signUp(t, "anna@example.com")
	unproven := anna()
	unproven.Verified = false
	if got := guest.back(t, guest.leave(t, unproven)); got.status != http.StatusBadRequest {
		t.Errorf("an address that the provider has not verified answered %d %v", got.status, got.body)
	}
	record, isNew := guest.enter(t, anna())
	if isNew || record["id"] != taken || record["verified"] != true {
		t.Errorf("got %v, new %v, want the user with the address", record, isNew)
	}
	guest.must(t, http.StatusBadRequest, "POST", users+"auth-with-password", map[string]any{"identity": "anna@example.com", "password": password})

	// A user whose address is verified keeps the password.
	_, own := s.signUp(t, "ben@example.com")
	s.owner().must(t, http.StatusOK, "PATCH", users+"records/"+own, map[string]any{"verified": true})
	record, isNew = guest.enter(t, person{Subject: "ben-1", Email: "ben@example.com", Verified: true})
	if isNew || record["id"] != own {
		t.Errorf("got %v, new %v, want the user with the address", record, isNew)
	}
	guest.must(t, http.StatusOK, "POST", users+"auth-with-password", map[string]any{"identity": "ben@example.com", "password": password})

	// A signed-in user adds a provider, also one with another address.
	carla, id := s.signUp(t, "carla@example.com")
	record, _ = carla.enter(t, person{Subject: "carla-1", Email: "c@example.org", Verified: true})
	if record["id"] != id || record["email"] != "carla@example.com" {
		t.Errorf("got %v, want the signed-in user", record)
	}
	if record, _ = guest.enter(t, person{Subject: "carla-1"}); record["id"] != id {
		t.Errorf("got %v, want the user who added the provider", record)
	}
	// A removed user is not in the way of a new one.
	s.owner().must(t, http.StatusNoContent, "DELETE", users+"records/"+id, nil)
	if record, isNew = guest.enter(t, person{Subject: "carla-1", Email: "c@example.org", Verified: true}); !isNew || record["id"] == id {
		t.Errorf("got %v, new %v, want a new user", record, isNew)
	}
}

// withOAuth is the guestbook with an option oauth2 of its users.
func withOAuth(option map[string]any) backend.Schema {
	schema := guestbook()
	schema.Collections[0].Options = options{"oauth2": raw(option)}
	schema.Collections[0].Fields = append(schema.Collections[0].Fields,
		backend.Field{ID: "f_handle", Name: "handle", Type: "text"},
		backend.Field{ID: "f_photo", Name: "photo", Type: "url"})
	return schema
}

func offersProviders(t *testing.T, s *suite) {
	guest := s.guest()
	off := withOAuth(map[string]any{"enabled": false})
	s.apply(t, off)
	s.signIns.set(s.place, s.provider.register())
	if got := guest.methods(t, "users"); len(got) != 0 {
		t.Errorf("a collection that turns providers off offers %v", got)
	}
	guest.must(t, http.StatusForbidden, "POST", "collections/users/auth-with-oauth2", attempt{"oidc", "code", "", appAddress}.body())
	guest.must(t, http.StatusNotFound, "GET", "collections/entries/auth-methods", nil)

	on := withOAuth(map[string]any{"enabled": true, "mappedFields": map[string]any{"name": "name", "username": "handle", "avatarURL": "photo"}})
	s.apply(t, on)
	who := anna()
	who.Picture = s.provider.server.URL + "/picture.png"
	record, _ := guest.enter(t, who)
	if record["name"] != "Anna" || record["handle"] != "anna" || record["photo"] != who.Picture {
		t.Errorf("got %v, want what the provider knows", record)
	}
	s.signIns.set(s.place)
	if got := guest.methods(t, "users"); len(got) != 0 {
		t.Errorf("without a provider the collection offers %v", got)
	}
	guest.must(t, http.StatusForbidden, "POST", "collections/users/auth-with-oauth2", attempt{"oidc", "code", "", appAddress}.body())

	locked := guestbook()
	locked.Collections[0].Rules.Create = nil
	s.apply(t, locked)
	s.signIns.set(s.place, s.provider.register())
	if got := guest.back(t, guest.leave(t, person{Subject: "new", Email: "new@example.com", Verified: true})); got.status < 400 || got.status >= 500 {
		t.Errorf("where nobody may sign up, a stranger got %d %v", got.status, got.body)
	}
	if _, isNew := guest.enter(t, anna()); isNew {
		t.Error("where nobody may sign up, a user was made")
	}
}

func providersAreNotKept(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	registered := s.provider.register()
	s.signIns.set(s.place, registered)
	record, _ := s.guest().enter(t, anna())
	snapshot := core.NewID()
	_, err := s.engine.Snapshot(t.Context(), s.place, snapshot)
	conformance.Must(t, err)
	copied := s.place
	copied.Copy = core.NewID()
	conformance.Must(t, s.engine.Copy(t.Context(), s.place, copied))
	if got := (caller{s: s, place: copied}).methods(t, "users"); len(got) != 0 {
		t.Errorf("a copy offers %v", got)
	}
	var archive bytes.Buffer
	conformance.Must(t, s.engine.Export(t.Context(), s.place, &archive))
	if bytes.Contains(archive.Bytes(), []byte(registered.ClientSecret)) || bytes.Contains(archive.Bytes(), []byte(registered.ClientID)) {
		t.Error("an export has the provider")
	}
	schema, err := s.engine.Schema(t.Context(), s.place)
	conformance.Must(t, err)
	if strings.Contains(string(raw(schema)), registered.ClientID) {
		t.Error("the schema has the provider")
	}
	next := s.provider.register()
	next.DisplayName = "Another"
	s.signIns.set(s.place, next)
	conformance.Must(t, s.engine.Restore(t.Context(), s.place, snapshot))
	first, _ := s.guest().methods(t, "users")[0].(map[string]any)
	if first["displayName"] != "Another" {
		t.Errorf("after a restore the provider is %v", first)
	}
	if again, isNew := s.guest().enter(t, anna()); isNew || again["id"] != record["id"] {
		t.Errorf("after a restore got %v, new %v, want the user of the snapshot", again, isNew)
	}
}

func wrongCodes(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	s.signIns.set(s.place, s.provider.register())
	guest := s.guest()
	for name, change := range map[string]func(a *attempt){
		"another code":     func(a *attempt) { a.code += "x" },
		"no code":          func(a *attempt) { a.code = "" },
		"another verifier": func(a *attempt) { a.verifier += "x" },
		"another redirect": func(a *attempt) { a.redirect = "https://evil.example/" },
		"another provider": func(a *attempt) { a.provider = "github" },
		"no such provider": func(a *attempt) { a.provider = strings.Repeat("x", 5000) },
	} {
		with := guest.leave(t, anna())
		change(&with)
		if got := guest.back(t, with); got.status != http.StatusBadRequest {
			t.Errorf("%s answered %d %v", name, got.status, got.body)
		}
	}
	with := guest.leave(t, anna())
	if got := guest.back(t, with); got.status != http.StatusOK {
		t.Fatalf("the right code answered %d %v", got.status, got.body)
	}
	if got := guest.back(t, with); got.status != http.StatusBadRequest {
		t.Errorf("a used code answered %d %v", got.status, got.body)
	}
	for _, body := range []any{nil, []int{1}, "text", map[string]any{"provider": 5, "code": map[string]any{}}, map[string]any{"provider": "oidc", "code": "x", "createData": []int{1}}} {
		if got := guest.do(t, "POST", "collections/users/auth-with-oauth2", body); got.status < 400 || got.status >= 500 {
			t.Errorf("the body %v answered %d", body, got.status)
		}
	}
	with = guest.leave(t, person{Subject: "greedy", Email: "greedy@example.com", Verified: true})
	greedy := with.body()
	greedy["createData"] = map[string]any{"verified": true, "email": "victim@example.com", "tokenKey": strings.Repeat("x", 60), "name": "Greedy"}
	got := guest.do(t, "POST", "collections/users/auth-with-oauth2", greedy)
	if record, _ := got.body["record"].(map[string]any); got.status == http.StatusOK && record["verified"] == true {
		t.Errorf("a stranger's verified user was made: %v", record)
	}
}

func codesStayInTheirPlace(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	registered := s.provider.register()
	s.signIns.set(s.place, registered)
	w := s.guest().listen(t, "@oauth2")
	for name, place := range map[string]backend.Place{
		"the other environment": {Project: s.place.Project, Env: core.DataLive},
		"another project":       {Project: core.NewID(), Env: core.DataTest},
	} {
		conformance.Must(t, s.engine.Apply(t.Context(), place, guestbook()))
		there := caller{s: s, place: place}
		there.must(t, http.StatusForbidden, "POST", "collections/users/auth-with-oauth2", s.guest().leave(t, anna()).body())
		s.signIns.set(place, s.provider.register())
		if got := there.back(t, s.guest().leave(t, anna())); got.status != http.StatusBadRequest {
			t.Errorf("%s: a code of elsewhere answered %d %v", name, got.status, got.body)
		}
		if got := there.do(t, "GET", "oauth2-redirect?code=x&state="+w.id, nil); got.status != http.StatusBadRequest {
			t.Errorf("%s: a state of elsewhere answered %d", name, got.status)
		}
		if stats, err := s.engine.Stats(t.Context(), place); err != nil || stats.Users != 0 {
			t.Errorf("%s has %d users, %v", name, stats.Users, err)
		}
	}
	s.guest().must(t, http.StatusOK, "GET", "oauth2-redirect?code=here&state="+w.id, nil)
	if got := w.next(t); got.Code != "here" {
		t.Errorf("the window hears %+v of other places", got)
	}
}

func redirects(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	s.signIns.set(s.place, s.provider.register())
	guest := s.guest()
	w, other := guest.listen(t, "@oauth2"), guest.listen(t, "@oauth2")
	deaf := guest.listen(t, "entries/*")
	for _, query := range []string{"", "?code=x", "?state=nobody&code=x", "?code=x&state=" + deaf.id} {
		if got := guest.do(t, "GET", "oauth2-redirect"+query, nil); got.status != http.StatusBadRequest {
			t.Errorf("%q answered %d", query, got.status)
		}
	}
	guest.must(t, http.StatusOK, "GET", "oauth2-redirect?code=the+code&state="+w.id, nil)
	if got := w.next(t); got.topic != "@oauth2" || got.Code != "the code" || got.State != w.id {
		t.Errorf("the window hears %+v", got)
	}
	if got := guest.do(t, "GET", "oauth2-redirect?code=again&state="+w.id, nil); got.status != http.StatusBadRequest {
		t.Errorf("a second code answered %d", got.status)
	}
	if got := guest.do(t, "GET", "oauth2-redirect?error=access_denied&state="+other.id, nil); got.status != http.StatusBadRequest {
		t.Errorf("a refusal answered %d", got.status)
	}
	if got := other.next(t); got.topic != "@oauth2" || got.Error != "access_denied" {
		t.Errorf("the window hears %+v", got)
	}
	author, id := s.signUp(t, "author@example.com")
	deaf.hearsNext(t, author, "entries", map[string]any{"text": "heard", "author": id})
}

// kinds are the names of the kinds of providers.
func kinds() []string {
	var names []string
	for _, kind := range backend.SignInKinds() {
		names = append(names, kind.Name)
	}
	slices.Sort(names)
	return names
}
