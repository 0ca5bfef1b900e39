package bootstrap_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// trap is an account that somebody prepared on the address of somebody else, whom
// they wait for.
type trap struct {
	account
	accomplice *caller
	work       *work
	space      string
	apiToken   string
	live       string
	// later is invited, and accepts when it is too late.
	later *caller
}

const victimAddress = "alice@example.com"

// setTrap lets the attacker do all that could outlive the proof of the address.
func setTrap(s *site) *trap {
	s.t.Helper()
	made := &trap{account: s.signUpAs(victimAddress), accomplice: s.signUp(), later: s.signUp()}
	var home struct{ Workspace core.Workspace }
	made.must(http.StatusOK, http.MethodGet, "/auth/me", nil, &home)
	made.workspace = home.Workspace.ID
	made.space = "/workspaces/" + string(made.workspace)
	var token struct{ Token string }
	made.must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "back door", "scopes": []string{"files:read"}}, &token)
	made.apiToken = token.Token
	made.join(made.workspace, made.accomplice, core.RoleOwner)
	made.must(http.StatusCreated, http.MethodPost, made.space+"/invites", map[string]any{"email": made.later.user.Email, "role": "owner"}, nil)
	provider := map[string]any{"kind": "demo", "name": "Listener", "isDefault": true}
	made.accomplice.must(http.StatusCreated, http.MethodPost, made.space+"/ai-providers", provider, nil)
	made.must(http.StatusOK, http.MethodPatch, made.space, map[string]any{"commandHosts": []string{"listener.example"}}, nil)
	made.work = made.create("static-html")
	var published struct{ URL string }
	made.must(http.StatusOK, http.MethodPost, made.work.path("/publish"), map[string]any{"slug": "the-trap"}, &published)
	made.live = published.URL
	made.must(http.StatusOK, http.MethodPatch, made.work.path(""), map[string]any{"visibility": "public"}, nil)
	made.must(http.StatusCreated, http.MethodPost, "/domains/project/"+string(made.work.ID), map[string]string{"domain": "trap.example"}, nil)
	return made
}

// wantSprung looks at what is left of it once its owner is there.
func (m *trap) wantSprung(owner *caller) {
	m.t.Helper()
	anybody := &caller{site: m.site}
	for what, got := range map[string]answer{
		"the password": anybody.do(http.MethodPost, "/auth/login", map[string]string{"email": victimAddress, "password": "long enough"}),
		"the session":  anybody.do(http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": m.refresh}),
		"the token":    (&caller{site: m.site, token: m.apiToken}).do(http.MethodGet, m.work.path("/files"), nil),
	} {
		if got.status != http.StatusUnauthorized {
			m.t.Errorf("%s of whoever prepared the account: got %d %s, want 401", what, got.status, got.body)
		}
	}
	accept := m.inviteLink(m.later.user.Email, 1) + "/accept"
	m.later.refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, accept, nil)
	m.accomplice.refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, m.space, nil)
	m.accomplice.refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, m.work.path("/files"), nil)
	if got := m.fetch(m.live); got.status != http.StatusNotFound {
		m.t.Errorf("the site: got %d, want 404", got.status)
	}
	// Its address is nobody else's to take at once: visitors know it.
	other := m.later.create("static-html")
	other.refused(http.StatusConflict, core.CodeSlugTaken, http.MethodPost, other.path("/publish"), map[string]any{"slug": "the-trap"})
	for _, list := range []string{m.space + "/ai-providers", m.space + "/invites", "/domains/project/" + string(m.work.ID)} {
		var left struct{ Items []any }
		owner.must(http.StatusOK, http.MethodGet, list, nil, &left)
		if len(left.Items) != 0 {
			m.t.Errorf("%s: got %v, want nothing left", list, left.Items)
		}
	}
	var space core.Workspace
	owner.must(http.StatusOK, http.MethodGet, m.space, nil, &space)
	if len(space.CommandHosts) != 0 {
		m.t.Errorf("got the hosts %v, want none left", space.CommandHosts)
	}
	mine := &work{caller: owner, Project: m.work.Project}
	owner.must(http.StatusOK, http.MethodGet, mine.path("/files"), nil, nil)
}

func TestAHijackBeforeSignUpEndsWithAReset(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			made := setTrap(s)
			s.forgot(victimAddress)
			token := s.resetToken(s.mails(victimAddress, 1)[0])
			if got := s.resetTo(token, "of my own choice"); got.status != http.StatusNoContent {
				t.Fatalf("reset: got %d %s, want 204", got.status, got.body)
			}
			made.wantSprung(&caller{site: s, token: s.signInFor(victimAddress, "of my own choice")})
		})
	}
}

func TestAHijackBeforeSignUpEndsWithASignInAtAProvider(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			e := newEmbassy(t, name)
			made := setTrap(e.site)
			owner := e.browser()
			owner.signIn("github", alice())
			made.wantSprung(owner.caller)
		})
	}
}

// TestWhatAProvenAccountDidStays resets the password of somebody who proved the
// address long before.
func TestWhatAProvenAccountDidStays(t *testing.T) {
	s := programs()["inmemory"].serve(t)
	c := newCompany(s)
	reset := func(n int, password string) {
		s.forgot(c.owner.user.Email)
		token := s.resetToken(s.mails(c.owner.user.Email, n)[n-1])
		if got := s.resetTo(token, password); got.status != http.StatusNoContent {
			t.Fatalf("reset: got %d %s, want 204", got.status, got.body)
		}
	}
	reset(1, "the first of mine")
	c.owner.token = s.signInFor(c.owner.user.Email, "the first of mine")
	c.owner.join(c.owner.workspace, c.owner.site.signUp(), core.RoleMember)
	reset(2, "the second of mine")
	c.owner.token = s.signInFor(c.owner.user.Email, "the second of mine")
	if got := len(c.roles(c.owner)); got != 2 {
		t.Errorf("got %d members, want the owner and whom they invited once they had proven the address", got)
	}
}

// signInFor opens a session and returns its access token.
func (s *site) signInFor(email, password string) string {
	s.t.Helper()
	var session struct{ AccessToken string }
	(&caller{site: s}).must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": email, "password": password}, &session)
	return session.AccessToken
}
