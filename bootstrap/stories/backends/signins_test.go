package backends_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// identityServer is a provider of OAuth at which everybody is Anna. It knows one secret.
func identityServer(t *testing.T, secret string) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		_, given, _ := r.BasicAuth()
		if given != secret && r.FormValue("client_secret") != secret || r.FormValue("code") != "anna's code" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"access_token":"access","token_type":"Bearer"}`))
	})
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer access" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"sub":"anna-1","email":"anna@id.example","email_verified":true}`))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// signInSettings is what members see of the providers.
type signInSettings struct {
	Items     []core.SignInProvider
	Redirects []struct{ URL string }
	Kinds     []struct{ Name string }
}

func (b *book) signIns(env core.DataEnv) (settings signInSettings) {
	b.T.Helper()
	b.Must(http.StatusOK, http.MethodGet, b.Path("/backend/"+string(env)+"/providers"), nil, &settings)
	return settings
}

// TestEndUsersSignInWithAProvider: a member enters an id and a secret, and users of the preview and
// of the site sign in. The secret is nowhere to be found.
func TestEndUsersSignInWithAProvider(t *testing.T) {
	t.Parallel()
	const secret = "a very secret client secret"
	service := process.Start(t, process.Build(t), "PRIVATE_NETWORKS=allow")
	site := &storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}
	b := &book{site.SignUp().Create(storytest.Template)}
	b.save(core.BackendSchemaPath, object{"collections": []object{{"name": "users", "type": "auth", "createRule": ""}}})
	id := identityServer(t, secret)
	body := storytest.Fields{"clientId": "shop", "clientSecret": secret, "displayName": "Example ID", "authURL": id.URL + "/auth", "tokenURL": id.URL + "/token", "userInfoURL": id.URL + "/me"}
	hosts := map[core.DataEnv]string{core.DataTest: b.Preview(b.Caller)}
	if got := b.signIns(core.DataLive); len(got.Redirects) != 0 {
		t.Errorf("got %v before the publish, want no address", got.Redirects)
	}
	hosts[core.DataLive] = b.publish(storytest.Fields{})
	for env, host := range hosts {
		if status, _ := b.page(host, http.MethodPost, "collections/users/auth-with-oauth2", "", object{"provider": "oidc", "code": "anna's code"}); status != http.StatusForbidden {
			t.Errorf("%s: got %d without a provider, want 403", env, status)
		}
		got := b.Must(http.StatusOK, http.MethodPut, b.Path("/backend/"+string(env)+"/providers/oidc"), body, nil)
		if bytes.Contains(got.Body, []byte(secret)) {
			t.Errorf("%s: the answer has the secret: %s", env, got.Body)
		}
		b.signsIn(env, host, id.URL)
		b.window(env, host)
	}
	b.noSecret(secret)
	another := newBook(b.Caller)
	if status, answer := another.page(another.Preview(another.Caller), http.MethodPost, "collections/users/auth-with-oauth2", "", object{"provider": "oidc", "code": "anna's code"}); status != http.StatusForbidden {
		t.Errorf("got %d %v in another project, want 403", status, answer)
	}
	b.Must(http.StatusNoContent, http.MethodDelete, b.Path("/backend/live/providers/oidc"), nil, nil)
	if status, _ := b.page(hosts[core.DataLive], http.MethodPost, "collections/users/auth-with-oauth2", "", object{"provider": "oidc", "code": "anna's code"}); status != http.StatusForbidden {
		t.Errorf("got %d after the removal, want 403", status)
	}
}

// signsIn: Anna signs in on a host twice, and is one user.
func (b *book) signsIn(env core.DataEnv, host, address string) {
	b.T.Helper()
	settings := b.signIns(env)
	registered, way := host+"/_data/api/oauth2-redirect", address+"/auth?client_id=shop"
	if env == core.DataTest {
		registered, way = b.URL+"/sign-ins/"+string(b.ID)+"/oauth2-redirect", host+"/_data/oauth2-leave?"
	}
	if len(settings.Redirects) == 0 || settings.Redirects[0].URL != registered {
		b.T.Errorf("%s: got %v, want %s", env, settings.Redirects, registered)
	}
	status, answer := b.page(host, http.MethodGet, "collections/users/auth-methods", "", nil)
	if offered, _ := answer["oauth2"].(object); status != http.StatusOK || !strings.Contains(fmt.Sprint(offered["providers"]), way) {
		b.T.Errorf("%s: got %d %v, want the way to the provider", env, status, offered)
	}
	redirect := host + "/_data/api/oauth2-redirect"
	for _, isNew := range []bool{true, false} {
		status, answer := b.page(host, http.MethodPost, "collections/users/auth-with-oauth2", "", object{"provider": "oidc", "code": "anna's code", "codeVerifier": strings.Repeat("v", 43), "redirectURL": redirect})
		meta, _ := answer["meta"].(object)
		if status != http.StatusOK || meta["isNew"] != isNew {
			b.T.Errorf("%s: got %d %v, want Anna, new %v", env, status, answer, isNew)
		}
	}
	if status, answer := b.page(host, http.MethodPost, "collections/users/auth-with-oauth2", "", object{"provider": "oidc", "code": "another", "redirectURL": redirect}); status != http.StatusBadRequest {
		b.T.Errorf("%s: got %d %v for a wrong code, want 400", env, status, answer)
	}
}

// window: people who come back without a waiting window are told so on a page.
func (b *book) window(env core.DataEnv, host string) {
	b.T.Helper()
	for _, path := range []string{host + "/_data/api/oauth2-redirect", host + "/_data/oauth2-redirect", b.signIns(env).Redirects[0].URL} {
		r, err := http.NewRequestWithContext(b.T.Context(), http.MethodGet, path+"?state=nobody&code=stolen", nil)
		if err != nil {
			b.T.Fatal(err)
		}
		r.Header.Set("Accept", "text/html")
		got, err := b.Client.Do(r)
		if err != nil {
			b.T.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != http.StatusBadRequest || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") || got.Header.Get("Referrer-Policy") != "no-referrer" {
			b.T.Errorf("%s: got %d %v, want a page", path, got.StatusCode, got.Header)
		}
	}
}

// noSecret: nothing that a member can read has the secret.
func (b *book) noSecret(secret string) {
	b.T.Helper()
	for _, path := range []string{
		"/backend", "/backend/test/providers", "/backend/live/providers", "/export?data=test", "/export?data=live", "/files/" + core.BackendSchemaPath,
		"/backend/test/collections/users/records", "/backend/live/collections/users/export",
	} {
		if got := b.Do(http.MethodGet, b.Path(path), nil); got.Status != http.StatusOK || bytes.Contains(got.Body, []byte(secret)) {
			b.T.Errorf("%s: got %d, and the secret %v", path, got.Status, bytes.Contains(got.Body, []byte(secret)))
		}
	}
	var copied struct{ ID string }
	b.Must(http.StatusCreated, http.MethodPost, b.Path("/duplicate"), storytest.Fields{}, &copied)
	for _, env := range []string{"test", "live"} {
		var settings signInSettings
		b.Must(http.StatusOK, http.MethodGet, "/projects/"+copied.ID+"/backend/"+env+"/providers", nil, &settings)
		if len(settings.Items) != 0 {
			b.T.Errorf("the duplicate has %v", settings.Items)
		}
	}
}

// TestProvidersAreCheckedWhenTheyAreEntered names the member and the rule for everything wrong.
func TestProvidersAreCheckedWhenTheyAreEntered(t *testing.T) {
	t.Parallel()
	b := newBook(started(t).SignUp())
	full := func(change storytest.Fields) storytest.Fields {
		all := storytest.Fields{"clientId": "shop", "clientSecret": "secret", "authURL": "https://id.example/auth", "tokenURL": "https://id.example/token", "userInfoURL": "https://id.example/me"}
		for name, value := range change {
			all[name] = value
		}
		return all
	}
	path := b.Path("/backend/test/providers/oidc")
	for _, c := range []struct {
		change  storytest.Fields
		code    core.Code
		message string
	}{
		{storytest.Fields{"clientId": ""}, core.CodeValidationFailed, "clientId"},
		{storytest.Fields{"clientSecret": " x"}, core.CodeValidationFailed, "clientSecret"},
		{storytest.Fields{"clientSecret": nil}, core.CodeValidationFailed, "clientSecret"},
		{storytest.Fields{"displayName": "a\nb"}, core.CodeValidationFailed, "displayName"},
		{storytest.Fields{"userInfoURL": ""}, core.CodeValidationFailed, "userInfoURL is needed"},
		{storytest.Fields{"authURL": "javascript:alert(1)"}, core.CodeValidationFailed, "authURL"},
		{storytest.Fields{"authURL": "http://id.example/auth"}, core.CodeValidationFailed, "authURL"},
		{storytest.Fields{"tokenURL": "https://user:password@id.example/"}, core.CodeValidationFailed, "tokenURL"},
		{storytest.Fields{"tokenURL": "https://10.0.0.1/token"}, core.CodeForbiddenAddress, "tokenURL"},
		{storytest.Fields{"userInfoURL": "https://169.254.169.254/me"}, core.CodeForbiddenAddress, "userInfoURL"},
		{storytest.Fields{"userInfoURL": "http://127.0.0.1:8080/me"}, core.CodeForbiddenAddress, "userInfoURL"},
	} {
		got := b.Refused(http.StatusBadRequest, c.code, http.MethodPut, path, full(c.change))
		if !strings.Contains(string(got.Body), c.message) {
			t.Errorf("%v: got %s, want %q in it", c.change, got.Body, c.message)
		}
	}
	b.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPut, b.Path("/backend/test/providers/myspace"), full(nil))
	b.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPut, b.Path("/backend/staging/providers/oidc"), full(nil))
	b.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, path, nil)
	b.Must(http.StatusOK, http.MethodPut, path, full(nil), nil)
	kept := full(storytest.Fields{"displayName": "Other", "clientSecret": nil})
	b.Must(http.StatusOK, http.MethodPut, path, kept, nil)
	// Who does not know the secret cannot have it sent elsewhere.
	for _, change := range []storytest.Fields{{"tokenURL": "https://evil.example/token"}, {"clientId": "other"}} {
		change["clientSecret"] = nil
		got := b.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPut, path, full(change))
		if !strings.Contains(string(got.Body), "clientSecret must be entered again") {
			t.Errorf("got %s", got.Body)
		}
	}
	if got := b.signIns(core.DataTest); len(got.Items) != 1 || got.Items[0].DisplayName != "Other" || len(got.Kinds) < 30 {
		t.Errorf("got %+v, want one provider", got)
	}
}
