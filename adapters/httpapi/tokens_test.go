package httpapi

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/core"
)

// apiToken makes a token with a body and returns the answer, which must be 201.
func (a *api) apiToken(by requestOption, body string) answer {
	a.t.Helper()
	got := a.do("POST", "/auth/api-tokens", body, by)
	if got.StatusCode != http.StatusCreated {
		a.t.Fatalf("create %s: got %d %s, want 201", body, got.StatusCode, got.body)
	}
	return got
}

func TestTheLifeOfAnAPIToken(t *testing.T) {
	api := newAPI(t)
	ada := bearer(api.signUp("ada@example.com").text("accessToken"))
	made := api.apiToken(ada, `{"name":" CI ","scopes":["workspaces:read","files:write","workspaces:read"]}`)
	token := made.text("token")
	if !regexp.MustCompile(`^atl_[A-Za-z0-9_-]{43}$`).MatchString(token) || made.text("prefix") != token[:12] {
		t.Errorf("got the token %q with the prefix %q, want atl_ and 43 characters, of which the first twelve", token, made.text("prefix"))
	}
	for path, want := range map[string]any{"name": "CI", "lastUsedAt": nil, "expiresAt": nil, "createdAt": "2030-01-02T03:04:05.000Z"} {
		if got := made.member(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	if !strings.Contains(made.body, `"scopes":["files:write","workspaces:read"]`) {
		t.Errorf("got %s, want each scope once", made.body)
	}
	listed := api.do("GET", "/auth/api-tokens", "", ada)
	want := `{"items":[` + strings.TrimSpace(strings.Replace(made.body, `,"token":"`+token+`"`, "", 1)) + `]}`
	if strings.TrimSpace(listed.body) != want {
		t.Errorf("list: got %s, want %s", listed.body, want)
	}
	api.do("GET", "/workspaces", "", bearer(token)).want(t, "a call with the token", http.StatusOK, "")
	path := "/auth/api-tokens/" + made.text("id")
	api.do("DELETE", path, "", ada).want(t, "delete", http.StatusNoContent, "")
	api.do("DELETE", path, "", ada).want(t, "delete again", http.StatusNotFound, "not_found")
	api.do("GET", "/workspaces", "", bearer(token)).want(t, "a call with the deleted token", http.StatusUnauthorized, "unauthenticated")
	if log := api.log.String(); strings.Contains(log, token) || strings.Contains(log, token[12:]) {
		t.Errorf("got the token in the log\n%s", log)
	}
}

func TestAPITokenRefusals(t *testing.T) {
	api := newAPI(t)
	ada := bearer(api.signUp("ada@example.com").text("accessToken"))
	for _, c := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"no name", `{"scopes":["chat"]}`, 400, "invalid_request"},
		{"an empty name", `{"name":" ","scopes":["chat"]}`, 400, "validation_failed"},
		{"a long name", `{"name":"` + strings.Repeat("x", 101) + `","scopes":["chat"]}`, 400, "validation_failed"},
		{"a line break in the name", `{"name":"a\nb","scopes":["chat"]}`, 400, "validation_failed"},
		{"no scopes", `{"name":"x"}`, 400, "invalid_request"},
		{"an empty list of scopes", `{"name":"x","scopes":[]}`, 400, "validation_failed"},
		{"null scopes", `{"name":"x","scopes":null}`, 400, "invalid_request"},
		{"one scope as a text", `{"name":"x","scopes":"chat"}`, 400, "invalid_request"},
		{"an unknown scope", `{"name":"x","scopes":["chat","account"]}`, 400, "validation_failed"},
		{"a scope with a star", `{"name":"x","scopes":["*"]}`, 400, "validation_failed"},
		{"an empty scope", `{"name":"x","scopes":[""]}`, 400, "validation_failed"},
		{"a scope in capitals", `{"name":"x","scopes":["Chat"]}`, 400, "validation_failed"},
		{"a time that is now", `{"name":"x","scopes":["chat"],"expiresAt":"2030-01-02T03:04:05Z"}`, 400, "validation_failed"},
		{"a time that has passed", `{"name":"x","scopes":["chat"],"expiresAt":"2029-01-02T03:04:05Z"}`, 400, "validation_failed"},
		{"a time beyond ten years", `{"name":"x","scopes":["chat"],"expiresAt":"2040-01-02T03:04:05.001Z"}`, 400, "validation_failed"},
		{"a day", `{"name":"x","scopes":["chat"],"expiresAt":"2031-01-02"}`, 400, "invalid_request"},
		{"a number for a time", `{"name":"x","scopes":["chat"],"expiresAt":1900000000}`, 400, "invalid_request"},
		{"a token of one's choice", `{"name":"x","scopes":["chat"],"token":"atl_x"}`, 400, "invalid_request"},
		{"an owner of one's choice", `{"name":"x","scopes":["chat"],"userId":"x"}`, 400, "invalid_request"},
	} {
		api.do("POST", "/auth/api-tokens", c.body, ada).want(t, c.name, c.status, c.code)
	}
	if got := api.do("POST", "/auth/api-tokens", `{"name":"x","scopes":["chat"],"expiresAt":"soon"}`, ada); !strings.Contains(got.text("message"), "expiresAt") {
		t.Errorf("got %s, want the message to name expiresAt", got.body)
	}
	eve := bearer(api.signUp("eve@example.com").text("accessToken"))
	made := api.apiToken(ada, `{"name":"x","scopes":["chat"],"expiresAt":"2040-01-02T03:04:05Z"}`)
	api.do("DELETE", "/auth/api-tokens/"+made.text("id"), "", eve).want(t, "somebody else's", http.StatusNotFound, "not_found")
	api.do("DELETE", "/auth/api-tokens/x", "", ada).want(t, "no id", http.StatusNotFound, "not_found")
	if got := api.do("GET", "/auth/api-tokens", "", eve); strings.TrimSpace(got.body) != `{"items":[]}` {
		t.Errorf("somebody else's list: got %s, want it empty", got.body)
	}
}

func TestAnAPITokenEndsAtItsInstant(t *testing.T) {
	api := newAPI(t)
	ada := bearer(api.signUp("ada@example.com").text("accessToken"))
	token := bearer(api.apiToken(ada, `{"name":"x","scopes":["workspaces:read"],"expiresAt":"2030-01-02T05:04:05+01:00"}`).text("token"))
	api.clock.add(time.Hour - time.Millisecond)
	api.do("GET", "/workspaces", "", token).want(t, "a millisecond early", http.StatusOK, "")
	api.clock.add(time.Millisecond)
	api.do("GET", "/workspaces", "", token).want(t, "at its instant", http.StatusUnauthorized, "token_expired")
}

func TestAPITokensAreHeldToTheirScopes(t *testing.T) {
	api := newAPI(t)
	ada := bearer(api.signUp("ada@example.com").text("accessToken"))
	for scope, allowed := range map[core.Scope][2]bool{
		core.ScopeWorkspacesRead: {true, false}, core.ScopeWorkspacesWrite: {true, true}, core.ScopeChat: {false, false}, core.ScopeProjectsWrite: {false, false},
	} {
		token := bearer(api.apiToken(ada, `{"name":"x","scopes":["`+string(scope)+`"]}`).text("token"))
		for i, got := range []answer{api.do("GET", "/workspaces", "", token), api.do("POST", "/workspaces", `{"name":"x"}`, token)} {
			if !allowed[i] {
				got.want(t, string(scope), http.StatusForbidden, "insufficient_scope")
			} else if got.StatusCode/100 != 2 {
				t.Errorf("%s: got %d %s, want it allowed", scope, got.StatusCode, got.body)
			}
		}
	}
}

// everyScope makes a token that may do all that tokens can.
func (a *api) everyScope(by requestOption) string {
	a.t.Helper()
	words := make([]string, len(core.Scopes()))
	for i, scope := range core.Scopes() {
		words[i] = `"` + string(scope) + `"`
	}
	return a.apiToken(by, `{"name":"all","scopes":[`+strings.Join(words, ",")+`]}`).text("token")
}

func TestNoAPITokenReachesTheAccount(t *testing.T) {
	api := newAPI(t)
	ada := bearer(api.signUp("ada@example.com").text("accessToken"))
	token := bearer(api.everyScope(ada))
	for _, route := range Routes(api.deps) {
		if action, _ := route.Action(); action == core.ActionAccount {
			got := api.do(route.Method(), target(route.Pattern()), "", token)
			got.want(t, route.Method()+" "+route.Pattern(), http.StatusForbidden, "insufficient_scope")
		}
	}
}

func TestAnAPITokenIsWorthNothingInACookie(t *testing.T) {
	api := newAPI(t)
	token := api.everyScope(bearer(api.signUp("ada@example.com").text("accessToken")))
	api.do("GET", "/workspaces", "", bearer(token)).want(t, "in the header", http.StatusOK, "")
	for what, changes := range map[string][]requestOption{
		"in the cookie":         {cookie(guard.AccessCookie, token)},
		"in the refresh cookie": {cookie(guard.RefreshCookie, token)},
		"by another scheme":     {header("Authorization", "Token "+token)},
		"as a user name":        {func(r *http.Request) { r.SetBasicAuth(token, "") }},
		"in another header":     {header("X-Api-Key", token)},
		"in the URL":            {func(r *http.Request) { r.URL.RawQuery = "access_token=" + token }},
		"twice":                 {bearer(token), bearer(token)},
		"cut short":             {bearer(token[:len(token)-1])},
		"with a tail":           {bearer(token + "x")},
		"in capitals":           {bearer(strings.ToUpper(token))},
		"as its hash":           {bearer(core.APITokenPrefix + core.HashSecret(token))},
		"without the prefix":    {bearer(strings.TrimPrefix(token, core.APITokenPrefix))},
	} {
		api.do("GET", "/workspaces", "", changes...).want(t, what, http.StatusUnauthorized, "unauthenticated")
	}
}

func TestAnAPITokenIsNoSession(t *testing.T) {
	api := newAPI(t)
	token := api.everyScope(bearer(api.signUp("ada@example.com").text("accessToken")))
	for what, got := range map[string]answer{
		"refresh by header": api.do("POST", "/auth/refresh", "", bearer(token)),
		"refresh by body":   api.do("POST", "/auth/refresh", `{"refreshToken":"`+token+`"}`),
		"refresh by cookie": api.do("POST", "/auth/refresh", "", cookie(guard.RefreshCookie, token)),
	} {
		got.want(t, what, http.StatusUnauthorized, "unauthenticated")
		if set := got.Header.Values("Set-Cookie"); len(set) > 0 {
			t.Errorf("%s: got the cookies %q, want none", what, set)
		}
	}
	api.do("POST", "/auth/logout", "", bearer(token)).want(t, "log out", http.StatusNoContent, "")
	api.do("GET", "/workspaces", "", bearer(token)).want(t, "after that", http.StatusOK, "")
}

func TestAPersonAndTheirAPITokensHaveLimitsOfTheirOwn(t *testing.T) {
	api := newAPI(t, func(d *Deps) { d.Settings.RatePerMinute = 2 })
	ada := bearer(api.signUp("ada@example.com").text("accessToken"))
	callers := map[string]requestOption{"the person": ada, "a token": bearer(api.everyScope(ada)), "another token": bearer(api.everyScope(ada))}
	api.clock.add(time.Minute) // making the tokens took calls too
	for name, caller := range callers {
		for range 2 {
			api.do("GET", "/workspaces", "", caller).want(t, name, http.StatusOK, "")
		}
		api.do("GET", "/workspaces", "", caller).want(t, name+" once more", http.StatusTooManyRequests, "rate_limited")
	}
}

func TestTheUseOfAnAPITokenIsShown(t *testing.T) {
	api := newAPI(t)
	ada := bearer(api.signUp("ada@example.com").text("accessToken"))
	token := bearer(api.everyScope(ada))
	lastUse := func() any {
		api.deps.Accounts.Close()
		items, _ := api.do("GET", "/auth/api-tokens", "", ada).member("items").([]any)
		return items[0].(map[string]any)["lastUsedAt"]
	}
	for _, c := range []struct {
		later time.Duration
		want  any
	}{{0, "2030-01-02T03:04:05.000Z"}, {59 * time.Second, "2030-01-02T03:04:05.000Z"}, {time.Second, "2030-01-02T03:05:05.000Z"}} {
		api.clock.add(c.later)
		api.do("GET", "/workspaces", "", token).want(t, "a call", http.StatusOK, "")
		if got := lastUse(); got != c.want {
			t.Errorf("%s later: got lastUsedAt %v, want %v", c.later, got, c.want)
		}
	}
}
