package people_test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// embassy is a service with sign-in at a fake server of providers.
type embassy struct {
	*storytest.Site
	providers *providerServer
}

// newEmbassy starts one of the programs that reach providers over the network.
func newEmbassy(t *testing.T, name string) *embassy {
	t.Helper()
	providers, program := newProviderServer(t), storytest.Programs()[name]
	env := providers.env()
	maps.Copy(env, program.Env(t))
	return &embassy{storytest.Serve(t, t.TempDir(), program.Make, env), providers}
}

// browser is one that keeps cookies and follows no redirect by itself.
type browser struct {
	*storytest.Caller
	providers *providerServer
	// plain is the site without the browser's cookies.
	plain *storytest.Site
}

func (e *embassy) browser() *browser {
	e.T.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		e.T.Fatal(err)
	}
	client := *e.Client
	client.Jar = jar
	own := *e.Site
	own.Client = &client
	return &browser{&storytest.Caller{Site: &own}, e.providers, e.Site}
}

func (b *browser) get(path string) storytest.Answer {
	b.T.Helper()
	return b.Do(http.MethodGet, path, nil)
}

// leave begins at a path, agrees at the provider as who, and returns the path that
// the provider sends the browser back to.
func (b *browser) leave(path string, who person) string {
	b.T.Helper()
	b.providers.sit(who)
	begun := b.get(path)
	if begun.Status != http.StatusFound || !strings.HasPrefix(begun.Header.Get("Location"), b.providers.URL) {
		b.T.Fatalf("GET %s: got %d to %q %s, want the provider", path, begun.Status, begun.Header.Get("Location"), begun.Body)
	}
	agreed := b.get(begun.Header.Get("Location"))
	back, err := url.Parse(agreed.Header.Get("Location"))
	if agreed.Status != http.StatusFound || err != nil {
		b.T.Fatalf("the provider: got %d %s, want it to send the browser back", agreed.Status, agreed.Body)
	}
	return back.RequestURI()
}

// wantAt checks where an answer sends the browser: a page of the service.
func (b *browser) wantAt(what string, got storytest.Answer, page string) {
	b.T.Helper()
	if location := got.Header.Get("Location"); got.Status != http.StatusFound || location != b.URL+page {
		b.T.Errorf("%s: got %d to %q %s, want 302 to %s", what, got.Status, location, got.Body, page)
	}
}

// me returns the user who is signed in, "" if there is none.
func (b *browser) me() core.User {
	b.T.Helper()
	var answer struct{ User core.User }
	got := b.get("/auth/me")
	if got.Status == http.StatusOK {
		if err := json.Unmarshal(got.Body, &answer); err != nil {
			b.T.Fatal(err)
		}
	}
	return answer.User
}

// signIn goes to a provider and back.
func (b *browser) signIn(provider string, who person) core.User {
	b.T.Helper()
	b.wantAt(provider, b.get(b.leave("/auth/"+provider, who)), "/dashboard")
	return b.me()
}

func alice() person { return person{1, "Alice@Example.com", true, "Alice"} }

func mallory() person { return person{666, "mallory@example.com", true, "Mallory"} }

func TestThePathFromAProviderToAnAccountAndBackAgain(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			e := newEmbassy(t, name)
			first := e.browser()
			first.wantAt("the first time", first.get(first.leave("/auth/github?next=/projects%3Ftab%3Dmine", alice())), "/projects?tab=mine")
			user := first.me()
			if user.Email != "alice@example.com" || !user.EmailVerified || *user.DisplayName != "Alice" || *user.AvatarURL != "https://avatars.example.com/u/1" {
				t.Errorf("got %+v, want an account of what GitHub says", user)
			}
			var home struct {
				Workspace core.Workspace
				Features  struct {
					OAuth     struct{ GitHub, Google bool }
					Assistant bool
				}
			}
			first.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &home)
			if !home.Workspace.Personal || home.Workspace.Name != "Alice" || !home.Features.OAuth.GitHub || !home.Features.OAuth.Google || !home.Features.Assistant {
				t.Errorf("got %+v, want a workspace, and the features that are configured", home)
			}
			first.Must(http.StatusOK, http.MethodPost, "/auth/refresh", nil, nil)
			if again := e.browser().signIn("github", alice()); again.ID != user.ID {
				t.Errorf("got %s at the second visit, want %s", again.ID, user.ID)
			}
			if other := e.browser().signIn("google", alice()); other.ID != user.ID {
				t.Errorf("got %s by Google, want %s, whose address both verified", other.ID, user.ID)
			}
			// At GitHub the address moves on to somebody else.
			renamed := alice()
			renamed.email = "alice@elsewhere.example"
			if again := e.browser().signIn("github", renamed); again.ID != user.ID || again.Email != "alice@example.com" {
				t.Errorf("got %+v, want the account that GitHub's number names", again)
			}
			if stranger := e.browser().signIn("github", mallory()); stranger.ID == user.ID {
				t.Error("got one account for two people")
			}
		})
	}
}

// bring visits the callback in one browser with what another brought from its provider.
func (b *browser) bring(path string, cookies ...*http.Cookie) storytest.Answer {
	b.T.Helper()
	var header []string
	for _, cookie := range cookies {
		header = append(header, cookie.Name+"="+cookie.Value)
	}
	return (&storytest.Caller{Site: b.plain}).Do(http.MethodGet, path, nil, "Cookie", strings.Join(header, "; "))
}

// attempt is the cookie that a browser keeps for a provider.
func (b *browser) attempt(provider string) *http.Cookie {
	b.T.Helper()
	address, err := url.Parse(b.URL + "/auth/" + provider + "/callback")
	if err != nil {
		b.T.Fatal(err)
	}
	for _, cookie := range b.Client.Jar.Cookies(address) {
		if strings.HasPrefix(cookie.Name, "app_oauth_") {
			return cookie
		}
	}
	b.T.Fatalf("the browser has no attempt at %s", provider)
	return nil
}

const refusedVisit = "/login?error=invalid_state"

// TestLoginCSRF lets an attacker send a victim's browser to the callback with the
// attacker's own response of the provider.
func TestLoginCSRF(t *testing.T) {
	e := newEmbassy(t, "local")
	attacker, victim := e.browser(), e.browser()
	bait := attacker.leave("/auth/github", mallory())
	victim.wantAt("a browser that never left", victim.get(bait), refusedVisit)
	own := victim.leave("/auth/github", alice())
	victim.wantAt("a browser that left by itself", victim.get(bait), refusedVisit)
	if user := victim.me(); user.ID != "" {
		t.Errorf("got %+v signed in, want nobody", user)
	}
	victim.wantAt("the attempt that the bait ended", victim.get(own), refusedVisit)
	attacker.wantAt("the attacker's own browser", attacker.get(bait), "/dashboard")
}

func TestAStateIsNotReplayed(t *testing.T) {
	e := newEmbassy(t, "local")
	b := e.browser()
	back := b.leave("/auth/github", alice())
	cookie := b.attempt("github")
	b.wantAt("the first time", b.get(back), "/dashboard")
	b.wantAt("again without the cookie, which is gone", b.get(back), refusedVisit)
	b.wantAt("again with the cookie kept", b.bring(back, cookie), refusedVisit)
	// A new code does not help an old state.
	fresh := b.leave("/auth/github", alice())
	state, code := queryOf(t, back, "state"), queryOf(t, fresh, "code")
	b.wantAt("an old state with a new code", b.bring("/auth/github/callback"+storytest.Query("state", state, "code", code), cookie), refusedVisit)
}

func queryOf(t *testing.T, path, name string) string {
	t.Helper()
	parsed, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Query().Get(name)
}

// TestMixUp brings one provider's response to the other's callback.
func TestMixUp(t *testing.T) {
	e := newEmbassy(t, "local")
	b := e.browser()
	back := b.leave("/auth/google", mallory())
	cookie := b.attempt("google")
	crossed := strings.Replace(back, "/google/", "/github/", 1)
	b.wantAt("the state of the other provider", b.get(crossed), refusedVisit)
	cookie.Name = "app_oauth_github"
	b.wantAt("with its cookie renamed", b.bring(crossed, cookie), refusedVisit)
	b.wantAt("where it belongs", b.get(back), "/dashboard")
}

func TestACallbackWithoutACookieOrWithTwo(t *testing.T) {
	e := newEmbassy(t, "local")
	b := e.browser()
	back := b.leave("/auth/github", alice())
	own := b.attempt("github")
	other := e.browser()
	other.leave("/auth/github", mallory())
	planted := other.attempt("github")
	b.wantAt("none", b.bring(back), refusedVisit)
	b.wantAt("one that a neighbouring host planted behind it", b.bring(back, own, planted), refusedVisit)
	b.wantAt("one planted in front of it", b.bring(back, planted, own), refusedVisit)
	b.wantAt("the same twice", b.bring(back, own, own), refusedVisit)
	b.wantAt("its own", b.bring(back, own), "/dashboard")
}

// TestCodeInjection brings the code of another attempt to one's own: PKCE binds the code
// to the browser that started that attempt.
func TestCodeInjection(t *testing.T) {
	e := newEmbassy(t, "local")
	for _, provider := range []string{"github", "google"} {
		attacker, victim := e.browser(), e.browser()
		stolen := queryOf(t, victim.leave("/auth/"+provider, alice()), "code")
		state := queryOf(t, attacker.leave("/auth/"+provider, mallory()), "state")
		got := attacker.get("/auth/" + provider + "/callback" + storytest.Query("state", state, "code", stolen))
		attacker.wantAt(provider, got, "/login?error=invalid_credentials")
		if user := attacker.me(); user.ID != "" {
			t.Errorf("%s: got %+v signed in, want nobody", provider, user)
		}
	}
}

func TestALapsedAttempt(t *testing.T) {
	e := newEmbassy(t, "local")
	b := e.browser()
	for age, page := range map[time.Duration]string{10*time.Minute + time.Second: refusedVisit, 9 * time.Minute: "/dashboard"} {
		back := b.leave("/auth/github", alice())
		cookie := b.attempt("github")
		cookie.Value = e.aged(cookie.Value, age)
		b.wantAt(age.String(), b.bring(back, cookie), page)
	}
}

// aged returns a sealed attempt as it would be some time later.
func (e *embassy) aged(sealed string, age time.Duration) string {
	e.T.Helper()
	const place = "oauth attempt github"
	box, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		e.T.Fatal(err)
	}
	text, err := e.App.Sealer.Open(box, place)
	if err != nil {
		e.T.Fatal(err)
	}
	var attempt map[string]any
	if err := json.Unmarshal(text, &attempt); err != nil {
		e.T.Fatal(err)
	}
	expires, err := time.Parse(time.RFC3339, attempt["ExpiresAt"].(string))
	if err != nil {
		e.T.Fatal(err)
	}
	attempt["ExpiresAt"] = core.At(expires.Add(-age))
	if text, err = json.Marshal(attempt); err != nil {
		e.T.Fatal(err)
	}
	if box, err = e.App.Sealer.Seal(text, place); err != nil {
		e.T.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(box)
}

func TestAnAttemptSealedElsewhereIsNone(t *testing.T) {
	ours, theirs := newEmbassy(t, "local"), newEmbassy(t, "local")
	b, foreign := ours.browser(), theirs.browser()
	back := b.leave("/auth/github", alice())
	foreign.leave("/auth/github", alice())
	b.wantAt("an attempt of another service", b.bring(back, foreign.attempt("github")), refusedVisit)
	tampered := b.attempt("github")
	other := "A"
	if tampered.Value[0] == 'A' {
		other = "B"
	}
	tampered.Value = other + tampered.Value[1:]
	b.wantAt("a changed byte", b.bring(back, tampered), refusedVisit)
}

// TestPreHijack plays both orders: an attacker who prepares an account for somebody
// else's address has no way into it once its owner is there.
func TestPreHijack(t *testing.T) {
	e := newEmbassy(t, "local")
	attacker := signUpAs(e.Site, "alice@example.com")
	var made struct{ Token string }
	attacker.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "back door", "scopes": []string{"projects:write"}}, &made)
	refresh := attacker.refresh
	owner := e.browser().signIn("github", alice())
	if owner.ID != attacker.User.ID || !owner.EmailVerified {
		t.Fatalf("got %+v, want the account of the address, proven", owner)
	}
	anybody := &storytest.Caller{Site: e.Site}
	for what, got := range map[string]storytest.Answer{
		"the password": anybody.Do(http.MethodPost, "/auth/login", map[string]string{"email": "alice@example.com", "password": "long enough"}),
		"the session":  anybody.Do(http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": refresh}),
		"the token":    (&storytest.Caller{Site: e.Site, Token: made.Token}).Do(http.MethodGet, "/projects", nil),
		"a new token by what is left of the session": attacker.Do(http.MethodPost, "/auth/api-tokens", map[string]any{"name": "again", "scopes": []string{"chat"}}),
	} {
		if got.Status != http.StatusUnauthorized {
			t.Errorf("%s of the attacker: got %d %s, want 401", what, got.Status, got.Body)
		}
	}
	// The other order: the owner is there first.
	again := anybody.Do(http.MethodPost, "/auth/signup", map[string]string{"email": "alice@example.com", "password": "long enough"})
	if again.Status != http.StatusConflict || again.Code() != core.CodeEmailTaken {
		t.Errorf("sign up with the owner's address: got %d %s, want 409 email_taken", again.Status, again.Body)
	}
}

// account is somebody who signed up with a password.
type account struct {
	*storytest.Caller
	refresh string
}

func signUpAs(s *storytest.Site, email string) account {
	s.T.Helper()
	a := account{Caller: &storytest.Caller{Site: s}}
	var answer struct {
		User                      core.User
		AccessToken, RefreshToken string
	}
	a.Must(http.StatusCreated, http.MethodPost, "/auth/signup", map[string]string{"email": email, "password": "long enough"}, &answer)
	a.User, a.Token, a.refresh = answer.User, answer.AccessToken, answer.RefreshToken
	return a
}

func TestAnAddressThatTheProviderDidNotVerifyOpensNothing(t *testing.T) {
	e := newEmbassy(t, "local")
	signUpAs(e.Site, "taken@example.com")
	for _, provider := range []string{"github", "google"} {
		for what, c := range map[string]struct {
			who  person
			code string
		}{
			"of somebody": {person{7, "taken@example.com", false, "M"}, "email_unverified"},
			"of nobody":   {person{8, "free@example.com", false, "M"}, "email_unverified"},
			"none":        {person{9, "", false, "M"}, "no_email"},
		} {
			b := e.browser()
			b.wantAt(provider+": "+what, b.get(b.leave("/auth/"+provider, c.who)), "/login?error="+c.code)
			if user := b.me(); user.ID != "" {
				t.Errorf("%s: %s: got %+v signed in, want nobody", provider, what, user)
			}
		}
	}
}
