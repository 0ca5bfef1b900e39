package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

func TestSignUpAnswersWithEverythingOfTheContract(t *testing.T) {
	api := newAPI(t)
	got := api.do("POST", "/auth/signup", `{"email":"  Ada@Example.COM ","password":"correct horse","displayName":"Ada"}`)
	got.want(t, "sign up", http.StatusCreated, "")
	for path, want := range map[string]any{
		"user.email": "ada@example.com", "user.displayName": "Ada", "user.avatarUrl": nil, "user.emailVerified": false,
		"user.createdAt": "2030-01-02T03:04:05.000Z", "workspace.name": "Ada", "workspace.personal": true,
		"workspace.role": "owner", "workspace.creditLimit": nil, "workspace.creditUsed": 0.0,
	} {
		if value := got.member(path); value != want {
			t.Errorf("%s: got %v, want %v", path, value, want)
		}
	}
	if strings.Contains(got.body, "assword") {
		t.Errorf("got %s, want nothing of the password", got.body)
	}
	if got.text("accessToken") != got.cookie("app_access_token").Value || got.text("refreshToken") != got.cookie("app_refresh_token").Value {
		t.Errorf("got tokens that differ from the cookies, want the same: %s", got.body)
	}
}

func TestSessionCookiesAreAsTheContractSays(t *testing.T) {
	for _, c := range []struct {
		app    string
		suffix string
	}{{"http://localhost:8080", "HttpOnly; SameSite=Lax"}, {"https://app.example.com", "HttpOnly; Secure; SameSite=Lax"}} {
		api := newAPI(t, func(d *Deps) { d.Settings.AppURL = mustURL(t, c.app) })
		got := api.signUp("ada@example.com")
		want := []string{
			"app_access_token=" + got.text("accessToken") + "; Path=/; Max-Age=900; " + c.suffix,
			"app_refresh_token=" + got.text("refreshToken") + "; Path=/auth; Max-Age=604800; " + c.suffix,
		}
		if cookies := got.Header.Values("Set-Cookie"); strings.Join(cookies, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got %q, want %q", c.app, cookies, want)
		}
		gone := api.do("POST", "/auth/logout", "")
		want = []string{"app_access_token=; Path=/; Max-Age=0; " + c.suffix, "app_refresh_token=; Path=/auth; Max-Age=0; " + c.suffix}
		if cookies := gone.Header.Values("Set-Cookie"); gone.StatusCode != http.StatusNoContent || strings.Join(cookies, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: log out: got %d %q, want 204 %q", c.app, gone.StatusCode, cookies, want)
		}
	}
}

func TestSignUpRefusals(t *testing.T) {
	api := newAPI(t)
	api.signUp("ada@example.com")
	long := strings.Repeat("é", 1025)
	for _, c := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"taken", `{"email":"ada@example.com","password":"correct horse"}`, 409, "email_taken"},
		{"taken in another spelling", `{"email":" ADA@example.com","password":"correct horse"}`, 409, "email_taken"},
		{"no address", `{"email":"ada","password":"correct horse"}`, 400, "validation_failed"},
		{"a header in the address", `{"email":"a@b\r\nBcc: c@d","password":"correct horse"}`, 400, "validation_failed"},
		{"seven characters", `{"email":"b@example.com","password":"1234567"}`, 400, "validation_failed"},
		{"1025 characters", `{"email":"b@example.com","password":"` + long + `"}`, 400, "validation_failed"},
		{"an empty name", `{"email":"b@example.com","password":"correct horse","displayName":" "}`, 400, "validation_failed"},
		{"no password", `{"email":"b@example.com"}`, 400, "invalid_request"},
		{"a null password", `{"email":"b@example.com","password":null}`, 400, "invalid_request"},
		{"more than the fields", `{"email":"b@example.com","password":"correct horse","isAdmin":true}`, 400, "invalid_request"},
		{"an id of one's own", `{"email":"b@example.com","password":"correct horse","id":"x"}`, 400, "invalid_request"},
	} {
		api.do("POST", "/auth/signup", c.body).want(t, c.name, c.status, c.code)
	}
	for _, password := range []string{"fK3 9x2L", strings.Repeat("é", 1024), `\u0000\u0000 \t\"😀😀😀`} {
		got := api.do("POST", "/auth/signup", fmt.Sprintf(`{"email":"p%d@example.com","password":"%s"}`, len(password), password))
		got.want(t, "a password within the limits", http.StatusCreated, "")
	}
}

func TestOfManyParallelSignUpsOneWins(t *testing.T) {
	api := newAPI(t)
	codes := make(chan string, 16)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			got := api.do("POST", "/auth/signup", `{"email":"ada@example.com","password":"correct horse"}`)
			codes <- fmt.Sprint(got.StatusCode, got.text("error"))
		})
	}
	group.Wait()
	close(codes)
	count := map[string]int{}
	for code := range codes {
		count[code]++
	}
	if count["201"] != 1 || count["409email_taken"] != 15 {
		t.Errorf("got %v, want one 201 and fifteen 409 email_taken", count)
	}
}

func TestSignIn(t *testing.T) {
	api := newAPI(t)
	api.signUp("ada@example.com")
	got := api.do("POST", "/auth/login", `{"email":" ADA@example.com","password":"correct horse"}`)
	got.want(t, "sign in", http.StatusOK, "")
	if got.text("user.email") != "ada@example.com" || got.text("refreshToken") == "" || got.cookie("app_access_token") == nil {
		t.Errorf("got %s, want user, tokens and cookies", got.body)
	}
	for name, body := range map[string]string{
		"a wrong password": `{"email":"ada@example.com","password":"Correct horse"}`,
		"a short password": `{"email":"ada@example.com","password":""}`,
		"an unknown one":   `{"email":"eve@example.com","password":"correct horse"}`,
		"no address":       `{"email":"ada","password":"correct horse"}`,
	} {
		refused := api.do("POST", "/auth/login", body)
		refused.want(t, name, http.StatusUnauthorized, "invalid_credentials")
		if refused.Header.Get("WWW-Authenticate") == "" || len(refused.Cookies()) > 0 {
			t.Errorf("%s: got headers %v, want WWW-Authenticate and no cookies", name, refused.Header)
		}
	}
}

func TestFailedSignInsLogTheLineThatBanningToolsMatch(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	api.do("POST", "/auth/login", `{"email":"ada@example.com","password":"wrong password"}`)
	api.do("PATCH", "/auth/me", `{"currentPassword":"wrong password","password":"new password"}`, bearer(session.text("accessToken")))
	api.do("GET", "/workspaces", "", bearer("forged"))
	api.do("POST", "/auth/refresh", `{"refreshToken":"forged"}`)
	api.do("GET", "/workspaces", "")
	log := api.log.String()
	if n := strings.Count(log, "msg=auth_failed ip=127.0.0.1 reason=invalid_credentials\n"); n != 2 {
		t.Errorf("got %d lines for the passwords in\n%s, want 2", n, log)
	}
	if n := strings.Count(log, "auth_failed ip=127.0.0.1 reason=unauthenticated\n"); n != 2 {
		t.Errorf("got %d lines for forged tokens in\n%s, want 2: asking without a token is no attack", n, log)
	}
	if strings.Contains(log, "wrong password") || strings.Contains(log, "forged") {
		t.Errorf("got\n%s, want no secret in the log", log)
	}
}

func TestRefresh(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	token := session.text("refreshToken")
	api.clock.add(time.Hour)
	api.do("GET", "/auth/me", "", bearer(session.text("accessToken"))).want(t, "an hour later", http.StatusUnauthorized, "token_expired")
	for name, got := range map[string]answer{
		"by cookie":        api.do("POST", "/auth/refresh", "", cookie("app_refresh_token", token)),
		"by body":          api.do("POST", "/auth/refresh", `{"refreshToken":"`+token+`"}`),
		"by an empty body": api.do("POST", "/auth/refresh", `{}`, cookie("app_refresh_token", token)),
	} {
		got.want(t, name, http.StatusOK, "")
		access := got.text("accessToken")
		api.do("GET", "/auth/me", "", bearer(access)).want(t, name+", then me", http.StatusOK, "")
		next := got.cookie("app_refresh_token")
		if got.cookie("app_access_token").Value != access || next == nil || next.Value == token || next.Path != "/auth" {
			t.Errorf("%s: got cookies %v, want the access token and another refresh token", name, got.Cookies())
		}
		inBody := got.member("refreshToken")
		if want := any(next.Value); name != "by body" && inBody != nil || name == "by body" && inBody != want {
			t.Errorf("%s: got the refresh token %v in the body, want it there only where it came by it", name, inBody)
		}
	}
}

func TestRefreshRefusals(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	token := session.text("refreshToken")
	for name, got := range map[string]answer{
		"nothing":          api.do("POST", "/auth/refresh", ""),
		"two cookies":      api.do("POST", "/auth/refresh", "", cookie("app_refresh_token", token), cookie("app_refresh_token", token)),
		"an access token":  api.do("POST", "/auth/refresh", "", cookie("app_refresh_token", session.text("accessToken"))),
		"a cut token":      api.do("POST", "/auth/refresh", "", cookie("app_refresh_token", token[:len(token)-1])),
		"the wrong cookie": api.do("POST", "/auth/refresh", "", cookie("app_access_token", token)),
	} {
		got.want(t, name, http.StatusUnauthorized, "unauthenticated")
	}
	api.do("GET", "/auth/me", "", bearer(token)).want(t, "a refresh token as access token", http.StatusUnauthorized, "unauthenticated")
	api.clock.add(7 * 24 * time.Hour)
	api.do("POST", "/auth/refresh", "", cookie("app_refresh_token", token)).want(t, "a week later", http.StatusUnauthorized, "token_expired")
}

func TestSigningOutEverywhereRefusesOlderRefreshTokens(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	api.do("POST", "/auth/logout-all", "").want(t, "signed out", http.StatusUnauthorized, "unauthenticated")
	got := api.do("POST", "/auth/logout-all", "", bearer(session.text("accessToken")))
	got.want(t, "sign out everywhere", http.StatusNoContent, "")
	old := `{"refreshToken":"` + session.text("refreshToken") + `"}`
	api.do("POST", "/auth/refresh", old).want(t, "the old token", http.StatusUnauthorized, "unauthenticated")
	again := api.do("POST", "/auth/login", `{"email":"ada@example.com","password":"correct horse"}`)
	fresh := `{"refreshToken":"` + again.text("refreshToken") + `"}`
	api.do("POST", "/auth/refresh", fresh).want(t, "a token from after", http.StatusOK, "")
}

func TestSigningOutRevokesNothing(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	api.do("POST", "/auth/logout", "").want(t, "without a session", http.StatusNoContent, "")
	api.do("POST", "/auth/logout", "", cookie("app_access_token", "garbage")).want(t, "with a broken one", http.StatusNoContent, "")
	api.do("GET", "/auth/me", "", bearer(session.text("accessToken"))).want(t, "me", http.StatusOK, "")
}

func TestMe(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	got := api.do("GET", "/auth/me", "", cookie("app_access_token", session.text("accessToken")))
	got.want(t, "me", http.StatusOK, "")
	for path, want := range map[string]any{
		"user.id": session.member("user.id"), "workspace.id": session.member("workspace.id"), "workspace.role": "owner",
		"features.mail": true, "features.oauth.github": true, "features.oauth.google": false,
		"features.assistant": false, "features.sandbox": false, "features.demoProvider": false, "features.platformProvider": false,
	} {
		if value := got.member(path); value != want {
			t.Errorf("%s: got %v, want %v", path, value, want)
		}
	}
	if cache := got.Header.Get("Cache-Control"); cache != "no-store" {
		t.Errorf("Cache-Control: got %q, want no-store", cache)
	}
}

func TestUpdatingOneself(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	token := bearer(session.text("accessToken"))
	for _, c := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"a name", `{"displayName":" Ada "}`, 200, ""},
		{"nothing", `{}`, 200, ""},
		{"no current password", `{"password":"new password"}`, 400, "invalid_request"},
		{"no new password", `{"currentPassword":"correct horse"}`, 400, "invalid_request"},
		{"null passwords", `{"currentPassword":null,"password":null}`, 400, "invalid_request"},
		{"a wrong current password", `{"currentPassword":"wrong","password":"new password"}`, 401, "invalid_credentials"},
		{"a short password", `{"currentPassword":"correct horse","password":"short"}`, 400, "validation_failed"},
		{"a long name", `{"displayName":"` + strings.Repeat("x", 101) + `"}`, 400, "validation_failed"},
		{"an address", `{"email":"eve@example.com"}`, 400, "invalid_request"},
		{"a verified mark", `{"emailVerified":true}`, 400, "invalid_request"},
	} {
		api.do("PATCH", "/auth/me", c.body, token).want(t, c.name, c.status, c.code)
	}
	if got := api.do("GET", "/auth/me", "", token); got.text("user.displayName") != "Ada" {
		t.Errorf("got %s, want the name Ada", got.body)
	}
	got := api.do("PATCH", "/auth/me", `{"displayName":null}`, token)
	if got.StatusCode != http.StatusOK || got.member("user.displayName") != nil {
		t.Errorf("a null name: got %d %s, want it gone", got.StatusCode, got.body)
	}
}

func TestChangingThePasswordEndsOtherSessions(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	change := `{"currentPassword":"correct horse","password":"battery staple"}`
	got := api.do("PATCH", "/auth/me", change, bearer(session.text("accessToken")))
	got.want(t, "change", http.StatusOK, "")
	old := `{"refreshToken":"` + session.text("refreshToken") + `"}`
	api.do("POST", "/auth/refresh", old).want(t, "the old session", http.StatusUnauthorized, "unauthenticated")
	api.do("POST", "/auth/login", `{"email":"ada@example.com","password":"correct horse"}`).want(t, "the old password", http.StatusUnauthorized, "invalid_credentials")
	api.do("POST", "/auth/login", `{"email":"ada@example.com","password":"battery staple"}`).want(t, "the new password", http.StatusOK, "")
}

func BenchmarkMe(b *testing.B) {
	deps, _, _ := testDeps(b)
	deps.Log = slog.New(slog.DiscardHandler)
	handler := New(deps)
	session, _, err := deps.Accounts.SignUp(b.Context(), core.Actor{}, accounts.NewAccount{Email: "ada@example.com", Password: "correct horse"})
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/auth/me", nil)
	r.Header.Set("Authorization", "Bearer "+session.AccessToken)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
			b.Fatalf("got %d %s, want 200", w.Code, w.Body)
		}
	}
}

func TestErrorsAreInTheLanguageOfTheReader(t *testing.T) {
	a := newAPI(t)
	for accepted, want := range map[string]struct{ message, language string }{
		"de-AT, en;q=0.5": {"E-Mail-Adresse oder Passwort ist falsch", "de"},
		"es":              {"El correo o la contraseña no son correctos", "es"},
		"fr":              {"e-mail or password is wrong", "en"},
		"":                {"e-mail or password is wrong", "en"},
	} {
		got := a.do("POST", "/auth/login", `{"email":"nobody@example.com","password":"not the password"}`, header("Accept-Language", accepted))
		if got.text("message") != want.message || got.text("error") != "invalid_credentials" {
			t.Errorf("%q: got %s, want the message %q", accepted, got.body, want.message)
		}
		if language := got.Header.Get("Content-Language"); language != want.language {
			t.Errorf("%q: got the language %q, want %q", accepted, language, want.language)
		}
	}
}
