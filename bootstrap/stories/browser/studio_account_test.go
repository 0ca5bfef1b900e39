package browser

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/oauth/oauthtest"
)

func accountStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"a name and a password are changed":                               aPasswordIsChanged,
		"an own subscription is connected and disconnected":               aSubscriptionIsConnected,
		"a token is made, used and deleted":                               aTokenIsMade,
		"the theme and the language are chosen":                           theThemeIsChosen,
		"an invitation leads through signing up into the workspace":       anInvitationIsAccepted,
		"an invitation for somebody else says so, and so does a used one": aWrongInvitationSaysSo,
	}
}

func aPasswordIsChanged(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	p := c.enterAs(t, u, "/settings")
	p.wantHeading("Profile")
	p.sees("Not verified")
	p.fill("Name", "Ada <Lovelace>")
	p.press("button", "Save")
	p.sees("Saved")
	p.press("link", "Security")
	s.exchanges()
	p.fill("Current password", "not this one")
	p.fill("New password", "even longer than before")
	p.press("button", "Change password")
	p.sees("This isn’t your current password.")
	p.pardon(http.StatusUnauthorized)
	if tries := slices.DeleteFunc(s.exchanges(), func(e exchange) bool {
		return e.method != http.MethodPatch || e.path != "/auth/me" || e.status != http.StatusUnauthorized
	}); len(tries) != 1 {
		t.Errorf("got the tries %+v, want one, since each counts as an attack", tries)
	}
	p.fill("Current password", "long enough")
	p.press("button", "Change password")
	p.sees("Your password was changed.")
	// The session goes on, also when its access cookie is renewed.
	if status := evaluate[int](p, `fetch('/auth/refresh', {method: 'POST'}).then((answer) => answer.status)`); status != http.StatusOK {
		t.Errorf("got %d from a renewal after the password changed, want this device to stay signed in", status)
	}
	aDeviceIsSignedOut(t, p, u)
	p.press("button", "Sign out everywhere")
	p.sees("Sign out of all devices?")
	p.agree("Sign out everywhere")
	p.wantHeading("Welcome back")
	p.wantQuiet()
	var answer struct{ User core.User }
	u.call(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": u.email, "password": "even longer than before"}, &answer)
	if answer.User.DisplayName == nil || *answer.User.DisplayName != "Ada <Lovelace>" {
		t.Errorf("got %+v, want the new name", answer.User)
	}
}

// aDeviceIsSignedOut ends a session of another program in the list of sessions.
func aDeviceIsSignedOut(t *testing.T, p *tab, u *user) {
	t.Helper()
	var lost struct{ AccessToken string }
	u.call(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": u.email, "password": "even longer than before"}, &lost)
	p.visit(u.url + "/settings/security")
	p.sees("This device")
	p.sees("Last seen just now")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.snapshot("sessions " + shape.name)
	}
	p.press("button", "Sign out "+isolated("Go-http-client"))
	p.sees(isolated("Go-http-client") + " is signed out within 10 seconds.")
	other := &user{service: u.service, t: t, token: lost.AccessToken}
	other.call(http.StatusUnauthorized, http.MethodGet, "/auth/me", nil, nil)
}

func aTokenIsMade(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	p := c.enterAs(t, u, "/settings/tokens")
	p.sees("No tokens yet")
	p.sees("Connect your tools")
	p.sees("claude mcp add --transport http atelier " + s.url + "/mcp")
	p.press("button", "New token")
	p.fill("Name", "Backup")
	p.press("button", "Create token")
	p.sees("Choose at least one.")
	p.press("checkbox", "Change projects")
	p.until("reading is included", named("checkbox", "Read projects")+"?.checked === true")
	p.pick("Expires", "In 30 days")
	p.press("button", "Create token")
	p.sees("it’s shown only once")
	program := &user{service: s, t: t, token: evaluate[string](p, `document.querySelector('[role=dialog] .copyable code, dialog .copyable code').textContent`)}
	program.call(http.StatusOK, http.MethodGet, "/projects", nil, nil)
	program.call(http.StatusForbidden, http.MethodGet, "/auth/api-tokens", nil, nil)
	p.press("button", "I’ve copied it")
	p.misses(program.token)

	p.visit(s.url + "/settings/tokens")
	p.sees("Last used just now")
	p.sees("Expires on")
	p.press("button", "Delete "+isolated("Backup"))
	p.agree("Delete")
	p.sees("No tokens yet")
	program.call(http.StatusUnauthorized, http.MethodGet, "/projects", nil, nil)
	p.wantQuiet()
}

// startWithGitHub starts a service with sign-in by a fake GitHub. Its user is always Ada,
// who agrees to everything.
func startWithGitHub(t *testing.T) *service {
	t.Helper()
	github := oauthtest.Serve(t, time.Now)
	s := startService(t, "localhost", map[string]string{
		"PRIVATE_NETWORKS": "allow", "GITHUB_CLIENT_ID": oauthtest.ClientID, "GITHUB_CLIENT_SECRET": oauthtest.ClientSecret,
		"GITHUB_AUTH_URL": github.URL + oauthtest.AuthorizePath, "GITHUB_TOKEN_URL": github.URL + oauthtest.GitHubTokenPath,
		"GITHUB_API_URL": github.URL + "/api", "GITHUB_REDIRECT_URI": "http://localhost/auth/github/callback", "GITHUB_ASSISTANT_REDIRECT_URI": "http://localhost/auth/github/assistant/callback",
	})
	github.AddPerson(oauth.Profile{Subject: "7", Email: "ada@example.com", EmailVerified: true, Name: "Ada"})
	// Back is on the port of this service.
	github.Answer(oauthtest.AuthorizePath, func(w http.ResponseWriter, r *http.Request) {
		back, err := github.Approve(github.URL+r.URL.String(), "7")
		if err != nil {
			t.Error(err)
		}
		http.Redirect(w, r, strings.Replace(back, "http://localhost/", s.url+"/", 1), http.StatusFound)
	})
	return s
}

func aSubscriptionIsConnected(t *testing.T, c *chromium, _ *service) {
	s := startWithGitHub(t)
	p := c.enterAs(t, s.signUp(t), "/settings/ai")
	p.sees("No subscription connected")
	p.press("link", "Connect GitHub")
	p.sees("Key ending in")
	p.at("/settings/ai")
	p.press("button", "Disconnect")
	p.agree("Disconnect")
	p.sees("No subscription connected")
	p.wantQuiet()
}

func theThemeIsChosen(t *testing.T, c *chromium, s *service) {
	p := c.enterAs(t, s.signUp(t), "/settings/appearance")
	p.wantHeading("Appearance")
	p.click("input[value=dark]")
	p.until("the dark theme", `document.documentElement.dataset.theme === 'dark'`)
	p.click("input[value=de]")
	p.wantHeading("Darstellung")
	p.until("the choices", `document.documentElement.lang === 'de' && document.documentElement.dataset.theme === 'dark'`)
	p.press("link", "KI-Abonnement")
	p.sees("nicht eingerichtet")
	p.visit(s.url + "/settings/ai?error=access_denied")
	p.sees("Sie haben es bei GitHub nicht erlaubt")
	p.visit(s.url + "/settings/nowhere")
	p.sees("Diese Seite gibt es nicht")
	p.wantQuiet()
}

func anInvitationIsAccepted(t *testing.T, c *chromium, s *service) {
	ada := s.signUp(t)
	email := "invited+" + string(core.NewID()) + "@example.com"
	ada.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ada.team("Difference"))+"/invites", map[string]string{"email": email, "role": "member"}, nil)
	link := s.linkMailed(t, email, "/invites/")

	p := c.open(t)
	p.show(390, 844, "light")
	p.visit(s.url + link)
	p.wantHeading("Join " + isolated("Difference"))
	p.sees(" invited you to work in " + isolated("Difference"))
	p.sees(name(ada))
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.snapshot("invited " + shape.name)
	}
	p.press("link", "Create account")
	p.until("the address", named("textbox", "Email")+fmt.Sprintf("?.value === %q", email))
	p.fill("Password", "long enough")
	p.press("button", "Create account")
	p.sees("You’re signed in as " + isolated(email))
	p.press("button", "Join the workspace")
	p.at("/dashboard")
	p.sees("Welcome to " + isolated("Difference"))
	p.until("the workspace", named("button", "Workspace: Difference")+" !== null")
	p.wantQuiet()
}

func aWrongInvitationSaysSo(t *testing.T, c *chromium, s *service) {
	ada, bob, eve := s.signUp(t), s.signUp(t), s.signUp(t)
	ada.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ada.team("Closed"))+"/invites", map[string]string{"email": bob.email, "role": "member"}, nil)
	link := s.linkMailed(t, bob.email, "/invites/")
	p := c.enterAs(t, eve, link)
	p.press("button", "Join the workspace")
	p.sees("was sent to a different address than " + isolated(eve.email))
	p.press("button", "Use another account")
	p.at("/login?next=" + url.QueryEscape(link) + "&email=")
	p.pardon(http.StatusForbidden)
	p.fill("Email", bob.email)
	p.fill("Password", "long enough")
	p.press("button", "Sign in")
	p.press("button", "Join the workspace")
	p.sees("Welcome to " + isolated("Closed"))
	p.visit(s.url + link)
	p.sees("This link was already used")
	p.pardon(http.StatusNotFound)
	p.wantQuiet()
}
