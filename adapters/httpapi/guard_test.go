package httpapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestEveryRouteNamesARuleOrIsOneOfTheOpenOnes(t *testing.T) {
	deps, _, _ := testDeps(t)
	openRoutes := map[string]bool{
		"POST /auth/signup": true, "POST /auth/login": true, "POST /auth/refresh": true, "POST /auth/logout": true,
	}
	for _, route := range Routes(deps) {
		action, public := route.Action()
		name := route.Method() + " " + route.Pattern()
		if _, ruled := core.Rules()[action]; ruled == public || public != openRoutes[name] {
			t.Errorf("%s: got action %q, public %v, want a rule, or one of %v", name, action, public, openRoutes)
		}
	}
}

// target fills a pattern with ids that name nothing.
func target(pattern string) string {
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, ":") || strings.HasPrefix(part, "*") {
			parts[i] = string(core.NewID())
		}
	}
	return strings.Join(parts, "/")
}

func TestNoGuardedRouteAnswersWithoutASession(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	access := session.text("accessToken")
	for _, route := range Routes(api.deps) {
		if _, public := route.Action(); public {
			continue
		}
		name, path := route.Method()+" "+route.Pattern(), target(route.Pattern())
		for what, changes := range map[string][]with{
			"no session":          nil,
			"an empty header":     {header("Authorization", "")},
			"another scheme":      {header("Authorization", "Basic "+access)},
			"no scheme":           {header("Authorization", access)},
			"an empty token":      {header("Authorization", "Bearer ")},
			"a broken token":      {bearer(access + "x")},
			"a refresh token":     {bearer(session.text("refreshToken"))},
			"two headers":         {header("Authorization", "Bearer "+access, "Bearer "+access)},
			"two headers, cookie": {header("Authorization", "Bearer "+access, "Bearer "+access), cookie("app_access_token", access)},
			"two tokens":          {bearer(access + " " + access)},
			"two in one header":   {bearer(access + ", Bearer " + access)},
			"two cookies":         {cookie("app_access_token", access), cookie("app_access_token", access)},
			"a cookie and a fake": {cookie("app_access_token", "x"), cookie("app_access_token", access)},
			"a header that fails": {bearer("x"), cookie("app_access_token", access)},
			"the wrong cookie":    {cookie("app_refresh_token", access)},
			"a token in the URL":  {func(r *http.Request) { r.URL.RawQuery = "token=" + access + "&access_token=" + access }},
			"an API token's form": {bearer("atl_" + access)},
		} {
			got := api.do(route.Method(), path, "", changes...)
			got.want(t, name+" with "+what, http.StatusUnauthorized, "unauthenticated")
			if got.Header.Get("WWW-Authenticate") == "" || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s with %s: got headers %v, want WWW-Authenticate and no-store", name, what, got.Header)
			}
		}
	}
}

func TestCallersPresentOneToken(t *testing.T) {
	api := newAPI(t)
	access := api.signUp("ada@example.com").text("accessToken")
	for what, changes := range map[string][]with{
		"a bearer token":           {bearer(access)},
		"the scheme in any case":   {header("Authorization", "bEARER "+access)},
		"a cookie":                 {cookie("app_access_token", access)},
		"a header beside a cookie": {bearer(access), cookie("app_access_token", "broken")},
		"other cookies beside it":  {cookie("theme", "dark"), cookie("app_access_token", access), cookie("APP_ACCESS_TOKEN", "x")},
	} {
		api.do("GET", "/auth/me", "", changes...).want(t, what, http.StatusOK, "")
	}
	api.clock.add(15 * time.Minute)
	got := api.do("GET", "/auth/me", "", bearer(access))
	got.want(t, "an expired token", http.StatusUnauthorized, "token_expired")
	if challenge := got.Header.Get("WWW-Authenticate"); !strings.Contains(challenge, `error="invalid_token"`) {
		t.Errorf("got WWW-Authenticate %q, want invalid_token", challenge)
	}
}

func TestStateChangingCookieCallsMustBeSameOrigin(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	jar := cookie("app_access_token", session.text("accessToken"))
	own := header("Origin", "http://localhost:8080")
	for _, c := range []struct {
		name    string
		headers []with
		refused bool
	}{
		{"a program without a browser", nil, false},
		{"the studio", []with{own, header("Sec-Fetch-Site", "same-origin")}, false},
		{"the studio without metadata", []with{own}, false},
		{"metadata alone", []with{header("Sec-Fetch-Site", "same-origin")}, false},
		{"the person's own act", []with{header("Sec-Fetch-Site", "none")}, false},
		{"a published site", []with{header("Origin", "http://site.localhost:8080"), header("Sec-Fetch-Site", "same-site")}, true},
		{"same-site without an origin", []with{header("Sec-Fetch-Site", "same-site")}, true},
		{"another site", []with{header("Origin", "https://evil.example"), header("Sec-Fetch-Site", "cross-site")}, true},
		{"another site without metadata", []with{header("Origin", "https://evil.example")}, true},
		{"another port", []with{header("Origin", "http://localhost:8081")}, true},
		{"another scheme", []with{header("Origin", "https://localhost:8080")}, true},
		{"a name that begins the same", []with{header("Origin", "http://localhost:8080.evil.example")}, true},
		{"a sandboxed page", []with{header("Origin", "null")}, true},
		{"an empty origin", []with{header("Origin", "")}, true},
		{"two origins", []with{header("Origin", "http://localhost:8080", "https://evil.example")}, true},
		{"origin and metadata that differ", []with{own, header("Sec-Fetch-Site", "cross-site")}, true},
		{"metadata in another case", []with{header("Sec-Fetch-Site", "Same-Origin")}, true},
	} {
		got := api.do("PATCH", "/auth/me", `{}`, append(c.headers, jar)...)
		if c.refused {
			got.want(t, c.name, http.StatusForbidden, "cross_origin")
		} else {
			got.want(t, c.name, http.StatusOK, "")
		}
		api.do("GET", "/auth/me", "", append(c.headers, jar)...).want(t, c.name+" reads", http.StatusOK, "")
		api.do("PATCH", "/auth/me", `{}`, append(c.headers, bearer(session.text("accessToken")))...).want(t, c.name+" by header", http.StatusOK, "")
		api.do("PATCH", "/auth/me", `{}`, append(c.headers, jar, bearer(session.text("accessToken")))...).want(t, c.name+" by both", http.StatusOK, "")
	}
}

func TestEveryWritingRouteRefusesForeignPagesWithACookie(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	for _, route := range Routes(api.deps) {
		if route.Method() == http.MethodGet {
			continue
		}
		for _, jar := range []with{cookie("app_access_token", session.text("accessToken")), cookie("app_refresh_token", session.text("refreshToken"))} {
			got := api.do(route.Method(), target(route.Pattern()), "", jar, header("Origin", "https://evil.example"))
			got.want(t, route.Method()+" "+route.Pattern(), http.StatusForbidden, "cross_origin")
		}
	}
}

func TestAForeignPageCannotSignOut(t *testing.T) {
	api := newAPI(t)
	for _, foreign := range []with{header("Origin", "https://evil.example"), header("Origin", "null"), header("Sec-Fetch-Site", "cross-site")} {
		got := api.do("POST", "/auth/logout", "", foreign)
		got.want(t, "without the cookies, which other sites do not get", http.StatusForbidden, "cross_origin")
		if set := got.Header.Values("Set-Cookie"); len(set) > 0 {
			t.Errorf("got the cookies %q, want none touched", set)
		}
	}
	api.do("POST", "/auth/logout", "").want(t, "a program", http.StatusNoContent, "")
	api.do("POST", "/auth/logout", "", header("Origin", "http://localhost:8080")).want(t, "the studio", http.StatusNoContent, "")
}

func TestOriginOfTheAppURL(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:8080": "http://localhost:8080", "https://app.example.com": "https://app.example.com",
		"https://APP.example.com:443/": "https://app.example.com", "http://app.example.com:80": "http://app.example.com",
		"https://app.example.com:80": "https://app.example.com:80", "http://[::1]:8080": "http://[::1]:8080",
	} {
		if got := originOf(mustURL(t, address)); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

func TestAPITokensAreHeldToTheirScopes(t *testing.T) {
	action, _ := call("GET", "/x", core.ActionWorkspaceList, nil).Action()
	for scope, want := range map[core.Scope]bool{core.ScopeWorkspacesRead: true, core.ScopeWorkspacesWrite: true, core.ScopeChat: false} {
		actor := core.Actor{Token: true, Scopes: []core.Scope{scope}}
		if got := checkScope(actor, action) == nil; got != want {
			t.Errorf("%s: got allowed %v, want %v", scope, got, want)
		}
	}
	if err := checkScope(core.Actor{Token: true, Scopes: []core.Scope{core.ScopeProjectsWrite}}, core.ActionAccount); !core.IsCode(err, core.CodeInsufficientScope) {
		t.Errorf("the account: got %v, want %s", err, core.CodeInsufficientScope)
	}
}
