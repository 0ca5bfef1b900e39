package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// openRoutes are the routes that need no session. Each is one on purpose.
func openRoutes() []string {
	return []string{
		"POST /auth/signup", "POST /auth/login", "POST /auth/mfa", "POST /auth/passkeys/login/begin", "POST /auth/passkeys/login/finish", "POST /auth/refresh", "POST /auth/logout",
		"GET /auth/github", "GET /auth/github/callback", "GET /auth/google", "GET /auth/google/callback", "GET /auth/oidc/:slug", "GET /auth/oidc/:slug/callback",
		"POST /auth/forgot-password", "POST /auth/reset-password", "GET /invites/:token", "POST /hooks/git/:token",
		"GET /.well-known/oauth-protected-resource", "GET /.well-known/oauth-protected-resource/mcp", "GET /.well-known/oauth-authorization-server", "GET /.well-known/openid-configuration",
		"POST /oauth/register", "POST /oauth/token", "POST /oauth/revoke",
	}
}

// line is what a route declares. No Route lacks a rule, so a test of the check needs this
// type.
type line struct {
	method, pattern string
	action          core.Action
}

func linesOf(table []rest.Route) []line {
	all := make([]line, len(table))
	for i, route := range table {
		action, _ := route.Action()
		all[i] = line{route.Method(), route.Pattern(), action}
	}
	return all
}

// peoplesOwn are the actions, beside those of the installation, that no API token may do.
var peoplesOwn = []core.Action{core.ActionAccount, core.ActionApprove}

// unruled returns a complaint for every route that does not decide who may use it, and
// for every duplicate route.
func unruled(table []line, open []string) []string {
	var flaws []string
	seen := map[string]bool{}
	for _, route := range table {
		action, public := route.action, route.action == ""
		rule, ruled := core.Rules()[action]
		name := route.method + " " + route.pattern
		switch {
		case seen[name]:
			flaws = append(flaws, name+" stands twice")
		case public && !slices.Contains(open, name):
			flaws = append(flaws, name+" has no action: make it with call, or list it in openRoutes")
		case !public && slices.Contains(open, name):
			flaws = append(flaws, name+" is listed in openRoutes and has an action")
		case !public && !ruled:
			flaws = append(flaws, name+" has the action "+string(action)+" without a rule: add it to the table in core/access.go")
		case ruled && !rule.AnyScope && !slices.Contains(core.Scopes(), rule.Scope) && (rule.Scope != core.ScopeNone || !slices.Contains(peoplesOwn, action) && rule.Instance == core.InstanceNone):
			flaws = append(flaws, name+" has the action "+string(action)+" without a scope: say in core/access.go which API tokens may do it")
		}
		seen[name] = true
	}
	return flaws
}

func TestEveryRouteSaysWhoMayUseIt(t *testing.T) {
	deps, _, _ := testDeps(t)
	for _, flaw := range unruled(linesOf(Routes(deps)), openRoutes()) {
		t.Error(flaw)
	}
}

func TestARouteThatDoesNotSayWhoMayUseItIsFound(t *testing.T) {
	good := []line{{"GET", "/free", ""}, {"GET", "/x", core.ActionProjectList}, {"GET", "/me", core.ActionAccount}}
	if flaws := unruled(good, []string{"GET /free"}); len(flaws) > 0 {
		t.Errorf("got %q, want nothing wrong with a good table", flaws)
	}
	for want, bad := range map[string]line{
		"has no action":     {"POST", "/free", ""},
		"and has an action": {"GET", "/free", core.ActionAccount},
		"without a rule":    {"GET", "/y", "no.such.action"},
		"stands twice":      {"GET", "/x", core.ActionAccount},
	} {
		table := append(slices.Clone(good[1:]), bad)
		if flaws := unruled(table, []string{"GET /free"}); len(flaws) != 1 || !strings.Contains(flaws[0], want) {
			t.Errorf("%s %s %q: got %q, want one flaw that it %s", bad.method, bad.pattern, bad.action, flaws, want)
		}
	}
}

func TestARouteWithoutARuleStopsTheProgramAtItsStart(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("got no panic, want one")
		}
	}()
	rest.Call("GET", "/x", "no.such.action", nil)
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
		for what, changes := range map[string][]requestOption{
			"no session":           nil,
			"an empty header":      {header("Authorization", "")},
			"another scheme":       {header("Authorization", "Basic "+access)},
			"no scheme":            {header("Authorization", access)},
			"an empty token":       {header("Authorization", "Bearer ")},
			"a broken token":       {bearer(access + "x")},
			"a refresh token":      {bearer(session.text("refreshToken"))},
			"two headers":          {header("Authorization", "Bearer "+access, "Bearer "+access)},
			"two headers, cookie":  {header("Authorization", "Bearer "+access, "Bearer "+access), cookie("app_access_token", access)},
			"two tokens":           {bearer(access + " " + access)},
			"two in one header":    {bearer(access + ", Bearer " + access)},
			"two cookies":          {cookie("app_access_token", access), cookie("app_access_token", access)},
			"a cookie and a fake":  {cookie("app_access_token", "x"), cookie("app_access_token", access)},
			"a header that fails":  {bearer("x"), cookie("app_access_token", access)},
			"the wrong cookie":     {cookie("app_refresh_token", access)},
			"a token in the URL":   {func(r *http.Request) { r.URL.RawQuery = "token=" + access + "&access_token=" + access }},
			"an API token's form":  {bearer("atl_" + access)},
			"an unknown API token": {bearer(core.APITokenPrefix + core.NewSecret())},
		} {
			if what == "a token in the URL" && guard.IsSocket(route.Pattern()) {
				// TestWhatASocketPresents has what these take.
				continue
			}
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
	for what, changes := range map[string][]requestOption{
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
		headers []requestOption
		refused bool
	}{
		{"a program without a browser", nil, false},
		{"the studio", []requestOption{own, header("Sec-Fetch-Site", "same-origin")}, false},
		{"the studio without metadata", []requestOption{own}, false},
		{"metadata alone", []requestOption{header("Sec-Fetch-Site", "same-origin")}, false},
		{"the person's own act", []requestOption{header("Sec-Fetch-Site", "none")}, false},
		{"a published site", []requestOption{header("Origin", "http://site.localhost:8080"), header("Sec-Fetch-Site", "same-site")}, true},
		{"same-site without an origin", []requestOption{header("Sec-Fetch-Site", "same-site")}, true},
		{"another site", []requestOption{header("Origin", "https://evil.example"), header("Sec-Fetch-Site", "cross-site")}, true},
		{"another site without metadata", []requestOption{header("Origin", "https://evil.example")}, true},
		{"another port", []requestOption{header("Origin", "http://localhost:8081")}, true},
		{"another scheme", []requestOption{header("Origin", "https://localhost:8080")}, true},
		{"a name that begins the same", []requestOption{header("Origin", "http://localhost:8080.evil.example")}, true},
		{"a sandboxed page", []requestOption{header("Origin", "null")}, true},
		{"an empty origin", []requestOption{header("Origin", "")}, true},
		{"two origins", []requestOption{header("Origin", "http://localhost:8080", "https://evil.example")}, true},
		{"origin and metadata that differ", []requestOption{own, header("Sec-Fetch-Site", "cross-site")}, true},
		{"metadata in another case", []requestOption{header("Sec-Fetch-Site", "Same-Origin")}, true},
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
		for _, jar := range []requestOption{cookie("app_access_token", session.text("accessToken")), cookie("app_refresh_token", session.text("refreshToken"))} {
			got := api.do(route.Method(), target(route.Pattern()), "", jar, header("Origin", "https://evil.example"))
			got.want(t, route.Method()+" "+route.Pattern(), http.StatusForbidden, "cross_origin")
		}
	}
}

func TestAForeignPageCannotSignOut(t *testing.T) {
	api := newAPI(t)
	for _, foreign := range []requestOption{header("Origin", "https://evil.example"), header("Origin", "null"), header("Sec-Fetch-Site", "cross-site")} {
		got := api.do("POST", "/auth/logout", "", foreign)
		got.want(t, "without the cookies, which other sites do not get", http.StatusForbidden, "cross_origin")
		if set := got.Header.Values("Set-Cookie"); len(set) > 0 {
			t.Errorf("got the cookies %q, want none touched", set)
		}
	}
	api.do("POST", "/auth/logout", "").want(t, "a program", http.StatusNoContent, "")
	api.do("POST", "/auth/logout", "", header("Origin", "http://localhost:8080")).want(t, "the studio", http.StatusNoContent, "")
}
