package httpapi

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// session makes an account and returns its access token.
func (e *embassy) session(email string) requestOption {
	return bearer(e.signUp(email).text("accessToken"))
}

func TestConnectingASubscription(t *testing.T) {
	e := newEmbassy(t, "https://app.example.com")
	e.assistant.SetTokens(8*time.Hour, true)
	ada := e.session("ada@example.com")
	back, attempt := e.leave("/auth/github/assistant", e.assistant, ada)
	if want := "app_oauth_assistant=" + attempt.Value + "; Path=/auth/github/assistant; Max-Age=600; HttpOnly; Secure; SameSite=Lax"; attempt.Raw != want {
		t.Errorf("got the cookie %q, want %q", attempt.Raw, want)
	}
	got := e.do("GET", back, "", ada, cookie(attempt.Name, attempt.Value))
	got.wantAt(t, "connect", "https://app.example.com/settings/ai")
	if gone := got.Header.Values("Set-Cookie"); len(gone) != 1 || !strings.HasPrefix(gone[0], "app_oauth_assistant=; Path=/auth/github/assistant; Max-Age=0;") {
		t.Errorf("got %q, want the attempt's cookie taken away", gone)
	}
	list := e.do("GET", "/users/me/ai-providers", "", ada)
	list.want(t, "list", http.StatusOK, "")
	items, _ := list.member("items").([]any)
	if len(items) != 1 {
		t.Fatalf("got %s, want one", list.body)
	}
	item, _ := items[0].(map[string]any)
	if item["kind"] != "github" || item["name"] != "GitHub Models" || item["createdAt"] != "2030-01-02T03:04:05.000Z" || item["expiresAt"] != "2030-01-02T11:04:05.000Z" {
		t.Errorf("got %v, want what the contract lists", item)
	}
	if hint, _ := item["keyHint"].(string); len([]rune(hint)) != 5 || len(item) != 7 {
		t.Errorf("got %v, want four characters of the key and no more", item)
	}
	id, _ := item["id"].(string)
	eve := e.session("eve@example.com")
	e.do("DELETE", "/users/me/ai-providers/"+id, "", eve).want(t, "somebody else", http.StatusNotFound, "not_found")
	e.do("DELETE", "/users/me/ai-providers/x", "", ada).want(t, "no id", http.StatusNotFound, "not_found")
	e.do("DELETE", "/users/me/ai-providers/"+id, "", ada).want(t, "delete", http.StatusNoContent, "")
	if empty := e.do("GET", "/users/me/ai-providers", "", ada); empty.body != `{"items":[]}`+"\n" {
		t.Errorf("got %s, want none", empty.body)
	}
}

func TestAConnectionThatFailsEndsAtTheSettings(t *testing.T) {
	e := newEmbassy(t, "http://localhost:8080")
	ada, eve := e.session("ada@example.com"), e.session("eve@example.com")
	back, attempt := e.leave("/auth/github/assistant", e.assistant, ada)
	e.do("GET", back, "", eve, cookie(attempt.Name, attempt.Value)).
		wantAt(t, "the callback of another signed-in user", "http://localhost:8080/settings/ai?error=invalid_state")
	e.do("GET", back, "", ada).wantAt(t, "without a cookie", "http://localhost:8080/settings/ai?error=invalid_state")
	e.do("GET", back, "", ada, cookie(attempt.Name, attempt.Value)).wantAt(t, "the person's own", "http://localhost:8080/settings/ai")
	e.do("GET", back, "", ada, cookie(attempt.Name, attempt.Value)).wantAt(t, "again", "http://localhost:8080/settings/ai?error=invalid_state")
	signIn, from := e.leave("/auth/github", e.github)
	e.do("GET", strings.Replace(signIn, "/auth/github/", "/auth/github/assistant/", 1), "", ada, cookie("app_oauth_assistant", from.Value)).
		wantAt(t, "an attempt to sign in", "http://localhost:8080/settings/ai?error=invalid_state")
	late, attempt := e.leave("/auth/github/assistant", e.assistant, eve)
	e.do("POST", "/auth/logout-all", "", eve).want(t, "log out everywhere", http.StatusNoContent, "")
	e.do("GET", late, "", eve, cookie(attempt.Name, attempt.Value)).want(t, "an ended session", http.StatusUnauthorized, "unauthenticated")
	e.assistant.SetDown(true)
	e.do("GET", "/auth/github/assistant", "", ada).wantAt(t, "a vendor that is down", "http://localhost:8080/settings/ai?error=unavailable")
}

func TestSubscriptionsAreForPeopleWhoAreSignedIn(t *testing.T) {
	e, bare := newEmbassy(t, "http://localhost:8080"), newAPI(t)
	ada := e.session("ada@example.com")
	made := e.do("POST", "/auth/api-tokens", `{"name":"all","scopes":["chat","workspaces:write","projects:write","files:write","publish"]}`, ada)
	made.want(t, "token", http.StatusCreated, "")
	program := bearer(made.text("token"))
	_, attempt := e.leave("/auth/github/assistant", e.assistant, ada)
	for _, c := range []struct{ method, target string }{
		{"GET", "/auth/github/assistant"}, {"GET", "/auth/github/assistant/callback?code=x&state=y"},
		{"GET", "/users/me/ai-providers"}, {"DELETE", "/users/me/ai-providers/018f4e0a-0000-7000-8000-000000000000"},
	} {
		e.do(c.method, c.target, "", cookie(attempt.Name, attempt.Value)).want(t, "signed out: "+c.target, http.StatusUnauthorized, "unauthenticated")
		e.do(c.method, c.target, "", program, cookie(attempt.Name, attempt.Value)).want(t, "an API token: "+c.target, http.StatusForbidden, "insufficient_scope")
	}
	person := bearer(bare.signUp("ada@example.com").text("accessToken"))
	bare.do("GET", "/auth/github/assistant", "", person).want(t, "not configured", http.StatusNotFound, "provider_not_configured")
}
