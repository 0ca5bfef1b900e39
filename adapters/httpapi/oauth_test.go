package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/rest/resttest"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/oauth"
)

// embassy is an API with providers, at which Ada has an account.
type embassy struct {
	*api
	github, google, assistant *memory.OAuth
}

func newEmbassy(t *testing.T, app string) *embassy {
	t.Helper()
	e, store := &embassy{}, memory.NewStore()
	e.api = newAPI(t, func(d *Deps) {
		d.Settings.AppURL = mustURL(t, app)
		e.github = memory.NewOAuth(core.IdentityGitHub, app+"/auth/github/callback", d.Now)
		e.google = memory.NewOAuth(core.IdentityGoogle, app+"/auth/google/callback", d.Now)
		e.assistant = memory.NewOAuth(core.IdentityGitHub, app+"/auth/github/assistant/callback", d.Now)
		providers := oauth.Providers{GitHub: e.github, Google: e.google, Assistant: e.assistant}
		records := audit.New(audit.Deps{Store: store, Gate: access.NewGate(store), Now: d.Now, Log: d.Log})
		d.Accounts = accounts.New(accounts.Deps{
			Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(store),
			Store: store, Tokens: memory.NewTokens(d.Now), Passwords: memory.NewPasswords(), Sealer: d.Sealer, OAuth: providers,
			Audit: records, Mails: mailer.New(d.Sealer, d.Now), Estate: estate(store, *d), Now: d.Now, Log: d.Log,
			Settings: accounts.Settings{AccessTTL: d.Settings.AccessTTL, RefreshTTL: d.Settings.RefreshTTL},
		})
		d.Subscriptions = accounts.NewSubscriptions(accounts.SubscriptionDeps{
			Store: store, Sealer: d.Sealer, OAuth: providers, Locks: memory.NewLocks(), Audit: records, Now: d.Now,
		})
	})
	for _, provider := range []*memory.OAuth{e.github, e.google, e.assistant} {
		provider.AddPerson(oauth.Profile{Subject: "1815", Email: "ada@example.com", EmailVerified: true})
	}
	return e
}

// leave begins at a route, lets Ada agree, and returns where she comes back to,
// with the cookie of the attempt.
func (e *embassy) leave(route string, provider *memory.OAuth, changes ...requestOption) (back string, cookie *http.Cookie) {
	e.t.Helper()
	begun := e.do("GET", route, "", changes...)
	begun.want(e.t, "begin", http.StatusFound, "")
	if len(begun.Cookies()) != 1 {
		e.t.Fatalf("got the cookies %v, want one", begun.Cookies())
	}
	address, err := provider.Approve(begun.Header.Get("Location"), "1815")
	if err != nil {
		e.t.Fatal(err)
	}
	return mustURL(e.t, address).RequestURI(), begun.Cookies()[0]
}

func (a answer) wantAt(t *testing.T, what, location string) {
	t.Helper()
	if got := a.Header.Get("Location"); a.StatusCode != http.StatusFound || got != location {
		t.Errorf("%s: got %d to %q, want 302 to %q", what, a.StatusCode, got, location)
	}
}

func TestASignInAtAProviderSetsItsCookiesAsTheContractSays(t *testing.T) {
	for _, c := range []struct{ app, suffix string }{
		{"http://localhost:8080", "HttpOnly; SameSite=Lax"}, {"https://app.example.com", "HttpOnly; Secure; SameSite=Lax"},
	} {
		e := newEmbassy(t, c.app)
		back, attempt := e.leave("/auth/github?next=/projects%3Fq%3Da%26b", e.github)
		if want := "app_oauth_github=" + attempt.Value + "; Path=/auth/github; Max-Age=600; " + c.suffix; attempt.Raw != want {
			t.Errorf("got the cookie %q, want %q", attempt.Raw, want)
		}
		got := e.do("GET", back, "", cookie(attempt.Name, attempt.Value))
		got.wantAt(t, "success", c.app+"/projects?q=a&b")
		want := []string{
			"app_oauth_github=; Path=/auth/github; Max-Age=0; " + c.suffix,
			"app_access_token=" + got.cookie("app_access_token").Value + "; Path=/; Max-Age=900; " + c.suffix,
			"app_refresh_token=" + got.cookie("app_refresh_token").Value + "; Path=/auth; Max-Age=604800; " + c.suffix,
		}
		if cookies := got.Header.Values("Set-Cookie"); strings.Join(cookies, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got %q, want %q", c.app, cookies, want)
		}
		if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("got %v, want the code and the state kept from caches and other sites", got.Header)
		}
		e.do("GET", "/auth/me", "", bearer(got.cookie("app_access_token").Value)).want(t, "me", http.StatusOK, "")
	}
}

func TestAVisitLeadsToTheDashboardUnlessItSaysOtherwise(t *testing.T) {
	e := newEmbassy(t, "http://localhost:8080")
	back, attempt := e.leave("/auth/google", e.google)
	e.do("GET", back, "", cookie(attempt.Name, attempt.Value)).wantAt(t, "success", "http://localhost:8080/dashboard")
}

func TestAVisitThatFailsEndsAtThePageThatSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		visit func(e *embassy) answer
		code  string
		// logged says that the line for intrusion-banning tools is written.
		logged bool
	}{
		"without a cookie": {func(e *embassy) answer {
			back, _ := e.leave("/auth/github", e.github)
			return e.do("GET", back, "")
		}, "invalid_state", true},
		"with a cookie that a neighbouring host planted beside it": {func(e *embassy) answer {
			back, attempt := e.leave("/auth/github", e.github)
			return e.do("GET", back, "", cookie(attempt.Name, attempt.Value), cookie(attempt.Name, attempt.Value))
		}, "invalid_state", true},
		"with two states": {func(e *embassy) answer {
			back, attempt := e.leave("/auth/github", e.github)
			return e.do("GET", back+"&state=x", "", cookie(attempt.Name, attempt.Value))
		}, "invalid_state", true},
		"with the other provider's cookie under this one's name": {func(e *embassy) answer {
			back, attempt := e.leave("/auth/google", e.google)
			return e.do("GET", strings.Replace(back, "google", "github", 1), "", cookie("app_oauth_github", attempt.Value))
		}, "invalid_state", true},
		"because the person refused": {func(e *embassy) answer {
			back, attempt := e.leave("/auth/github", e.github)
			state := mustURL(e.t, back).Query().Get("state")
			return e.do("GET", "/auth/github/callback?error=access_denied&error_description=x&state="+state, "", cookie(attempt.Name, attempt.Value))
		}, "access_denied", true},
		"because the address is not verified": {func(e *embassy) answer {
			e.github.AddPerson(oauth.Profile{Subject: "1815", Email: "ada@example.com"})
			back, attempt := e.leave("/auth/github", e.github)
			return e.do("GET", back, "", cookie(attempt.Name, attempt.Value))
		}, "email_unverified", true},
		"because there is no address": {func(e *embassy) answer {
			e.github.AddPerson(oauth.Profile{Subject: "1815"})
			back, attempt := e.leave("/auth/github", e.github)
			return e.do("GET", back, "", cookie(attempt.Name, attempt.Value))
		}, "no_email", true},
		"because the code is wrong": {func(e *embassy) answer {
			back, attempt := e.leave("/auth/github", e.github)
			state := mustURL(e.t, back).Query().Get("state")
			return e.do("GET", "/auth/github/callback?code=guessed&state="+state, "", cookie(attempt.Name, attempt.Value))
		}, "invalid_credentials", true},
		"because the provider is down": {func(e *embassy) answer {
			back, attempt := e.leave("/auth/github", e.github)
			e.github.SetDown(true)
			return e.do("GET", back, "", cookie(attempt.Name, attempt.Value))
		}, "unavailable", false},
	} {
		e := newEmbassy(t, "http://localhost:8080")
		got := c.visit(e)
		got.wantAt(t, name, "http://localhost:8080/login?error="+c.code)
		if gone := got.Header.Values("Set-Cookie"); len(gone) != 1 || !strings.HasPrefix(gone[0], "app_oauth_github=; Path=/auth/github; Max-Age=0;") {
			t.Errorf("%s: got %q, want the cookie taken away and no session", name, gone)
		}
		line := "level=WARN msg=auth_failed ip=127.0.0.1 reason=" + c.code + "\n"
		if logged := strings.Contains(e.log.String(), line); logged != c.logged {
			t.Errorf("%s: got the line %v in\n%s\nwant %v", name, logged, e.log, c.logged)
		}
		if log := e.log.String(); strings.Contains(log, "state=") || strings.Contains(log, "guessed") {
			t.Errorf("%s: got a log with a code or a state, want none:\n%s", name, log)
		}
	}
}

func TestAFaultOfOursIsLoggedWithItsCause(t *testing.T) {
	e := newEmbassy(t, "http://localhost:8080")
	e.github.AddPerson(oauth.Profile{Subject: "\xff", Email: "odd@example.com", EmailVerified: true})
	begun := e.do("GET", "/auth/github", "")
	address, err := e.github.Approve(begun.Header.Get("Location"), "\xff")
	if err != nil {
		t.Fatal(err)
	}
	attempt := begun.Cookies()[0]
	got := e.do("GET", mustURL(t, address).RequestURI(), "", cookie(attempt.Name, attempt.Value))
	got.wantAt(t, "a subject that no database keeps", "http://localhost:8080/login?error=internal")
	if log := e.log.String(); !strings.Contains(log, "Subject is not valid text") || strings.Contains(log, "auth_failed") {
		t.Errorf("got\n%s\nwant the cause, and nobody to ban", log)
	}
}

func TestBeginningWhereNoProviderIs(t *testing.T) {
	bare := newAPI(t)
	for _, provider := range []string{"github", "google"} {
		bare.do("GET", "/auth/"+provider, "").want(t, provider, http.StatusNotFound, "provider_not_configured")
		for _, attempt := range []requestOption{cookie("app_oauth_"+provider, "x"), cookie("other", "x")} {
			got := bare.do("GET", "/auth/"+provider+"/callback?code=x&state=y", "", attempt)
			got.wantAt(t, provider, "http://localhost:8080/login?error=provider_not_configured")
		}
	}
	e := newEmbassy(t, "http://localhost:8080")
	e.github.SetDown(true)
	got := e.do("GET", "/auth/github", "")
	got.wantAt(t, "a provider that is down", "http://localhost:8080/login?error=unavailable")
	if len(got.Cookies()) != 0 {
		t.Errorf("got %v, want no cookie of an attempt that did not begin", got.Cookies())
	}
}

func TestOpenRedirectThroughNext(t *testing.T) {
	e := newEmbassy(t, "http://localhost:8080")
	for _, next := range resttest.OpenRedirects() {
		got := e.do("GET", "/auth/github?next="+url.QueryEscape(next), "")
		got.want(t, next, http.StatusBadRequest, "validation_failed")
		if len(got.Cookies()) != 0 || got.Header.Get("Location") != "" {
			t.Errorf("%q: got %v, want nothing begun", next, got.Header)
		}
	}
	e.do("GET", "/auth/github?next=/a&next=/b", "").want(t, "two", http.StatusBadRequest, "invalid_request")
	e.do("GET", "/auth/github?next=%zz", "").want(t, "a broken query", http.StatusBadRequest, "invalid_request")
	for next, want := range map[string]string{
		"":                              "http://localhost:8080/dashboard",
		"/":                             "http://localhost:8080/",
		"/projects/1?tab=files&q=%20#x": "http://localhost:8080/projects/1?tab=files&q=%20#x",
		"/invites/abc_-.~":              "http://localhost:8080/invites/abc_-.~",
		"/projects/":                    "http://localhost:8080/projects/",
		"/x?next=//evil.example":        "http://localhost:8080/x?next=//evil.example",
		"/@evil.example":                "http://localhost:8080/@evil.example",
		"/:80@evil.example":             "http://localhost:8080/:80@evil.example",
		"/" + strings.Repeat("x", accounts.MaxNextBytes-1): "http://localhost:8080/" + strings.Repeat("x", accounts.MaxNextBytes-1),
	} {
		back, attempt := e.leave("/auth/github?next="+url.QueryEscape(next), e.github)
		e.do("GET", back, "", cookie(attempt.Name, attempt.Value)).wantAt(t, next, want)
	}
}
