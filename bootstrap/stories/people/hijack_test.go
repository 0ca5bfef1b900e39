package people_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// trap is an account that an attacker prepared for somebody else's address, and waits for
// its owner.
type trap struct {
	account
	accomplice *storytest.Caller
	work       *storytest.Work
	space      string
	apiToken   string
	live       string
	// link shows the preview to anyone who has it.
	link string
	// later is invited, and accepts when it is too late.
	later *storytest.Caller
}

const victimAddress = "alice@example.com"

// setTrap lets the attacker do all that could outlive the proof of the address.
func setTrap(s *storytest.Site) *trap {
	s.T.Helper()
	made := &trap{account: signUpAs(s, victimAddress), accomplice: s.SignUp(), later: s.SignUp()}
	var home struct{ Workspace core.Workspace }
	made.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &home)
	made.Workspace = home.Workspace.ID
	made.space = "/workspaces/" + string(made.Workspace)
	var token struct{ Token string }
	made.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "back door", "scopes": []string{"files:read"}}, &token)
	made.apiToken = token.Token
	made.Join(made.Workspace, made.accomplice, core.RoleOwner)
	made.Must(http.StatusCreated, http.MethodPost, made.space+"/invites", map[string]any{"email": made.later.User.Email, "role": "owner"}, nil)
	provider := map[string]any{"kind": "demo", "name": "Listener", "isDefault": true}
	made.accomplice.Must(http.StatusCreated, http.MethodPost, made.space+"/ai-providers", provider, nil)
	made.Must(http.StatusOK, http.MethodPatch, made.space, map[string]any{"commandHosts": []string{"listener.example"}}, nil)
	webhook := map[string]any{"url": "https://listener.example/hook", "events": []core.WebhookEvent{core.WebhookFindingCreated}}
	made.Must(http.StatusCreated, http.MethodPost, made.space+"/webhooks", webhook, nil)
	made.Must(http.StatusCreated, http.MethodPost, made.space+"/connectors", map[string]string{"name": "Listener", "url": "https://listener.example/mcp"}, nil)
	made.work = made.Create("static-html")
	made.pushElsewhere()
	var published struct{ URL string }
	made.Must(http.StatusOK, http.MethodPost, made.work.Path("/publish"), map[string]any{"slug": "the-trap"}, &published)
	made.live = published.URL
	made.Must(http.StatusOK, http.MethodPatch, made.work.Path("/site"), map[string]any{"access": "password", "password": "known to the attacker"}, nil)
	var shared struct{ URL string }
	made.Must(http.StatusCreated, http.MethodPost, made.work.Path("/links"), map[string]any{"hours": 1000}, &shared)
	made.link = shared.URL
	made.Must(http.StatusOK, http.MethodPatch, made.work.Path(""), map[string]any{"visibility": "public"}, nil)
	made.Must(http.StatusCreated, http.MethodPost, "/domains/project/"+string(made.work.ID), map[string]string{"domain": "trap.example"}, nil)
	return made
}

// pushElsewhere sends every version to a repository of the attacker's, which does not answer now.
func (m *trap) pushElsewhere() {
	m.T.Helper()
	never := core.At(time.Now().AddDate(1, 0, 0))
	remote := core.ProjectRemote{
		ID: core.NewID(), ProjectID: m.work.ID, Address: "https://listener.example/copy.git", HookHash: core.HashSecret("hook"), State: core.RemoteNew,
		DueAt: never, CreatedBy: m.User.ID,
	}
	if err := m.App.Store.Tables().ProjectRemotes.Create(m.T.Context(), remote); err != nil {
		m.T.Fatal(err)
	}
}

// wantSprung checks what is left of it once the address's owner is there.
func (m *trap) wantSprung(owner *storytest.Caller) {
	m.T.Helper()
	anybody := &storytest.Caller{Site: m.Site}
	for what, got := range map[string]storytest.Answer{
		"the password": anybody.Do(http.MethodPost, "/auth/login", map[string]string{"email": victimAddress, "password": "long enough"}),
		"the session":  anybody.Do(http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": m.refresh}),
		"the token":    (&storytest.Caller{Site: m.Site, Token: m.apiToken}).Do(http.MethodGet, m.work.Path("/files"), nil),
	} {
		if got.Status != http.StatusUnauthorized {
			m.T.Errorf("%s of the attacker: got %d %s, want 401", what, got.Status, got.Body)
		}
	}
	accept := m.InviteLink(m.later.User.Email, 1) + "/accept"
	m.later.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, accept, nil)
	m.accomplice.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, m.space, nil)
	m.accomplice.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, m.work.Path("/files"), nil)
	if got := m.Fetch(m.live); got.Status != http.StatusNotFound {
		m.T.Errorf("the site: got %d, want 404", got.Status)
	}
	if got := m.Fetch(m.link); got.Status != http.StatusNotFound {
		m.T.Errorf("the link to the preview: got %d, want 404", got.Status)
	}
	// Its address cannot be taken immediately by others, because visitors know it.
	other := m.later.Create("static-html")
	other.Refused(http.StatusConflict, core.CodeSlugTaken, http.MethodPost, other.Path("/publish"), map[string]any{"slug": "the-trap"})
	for _, list := range []string{m.space + "/ai-providers", m.space + "/invites", m.space + "/webhooks", m.space + "/connectors", "/domains/project/" + string(m.work.ID)} {
		var left struct{ Items []any }
		owner.Must(http.StatusOK, http.MethodGet, list, nil, &left)
		if len(left.Items) != 0 {
			m.T.Errorf("%s: got %v, want nothing left", list, left.Items)
		}
	}
	var space core.Workspace
	owner.Must(http.StatusOK, http.MethodGet, m.space, nil, &space)
	if len(space.CommandHosts) != 0 {
		m.T.Errorf("got the hosts %v, want none left", space.CommandHosts)
	}
	mine := &storytest.Work{Caller: owner, Project: m.work.Project}
	var site struct {
		Access      string
		HasPassword bool
	}
	owner.Must(http.StatusOK, http.MethodGet, mine.Path("/site"), nil, &site)
	if site.HasPassword || site.Access != "workspace" {
		m.T.Errorf("got %+v of the site, want it for the workspace and no password of the attacker's", site)
	}
	owner.Must(http.StatusOK, http.MethodGet, mine.Path("/files"), nil, nil)
	owner.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, mine.Path("/remote"), nil)
}

func TestAHijackBeforeSignUpEndsWithAReset(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			made := setTrap(s)
			forgot(s, victimAddress)
			token := resetToken(s, mails(s, victimAddress, 1)[0])
			if got := resetTo(s, token, "of my own choice"); got.Status != http.StatusNoContent {
				t.Fatalf("reset: got %d %s, want 204", got.Status, got.Body)
			}
			made.wantSprung(&storytest.Caller{Site: s, Token: signInFor(s, victimAddress, "of my own choice")})
		})
	}
}

func TestAHijackBeforeSignUpEndsWithASignInAtAProvider(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			e := newEmbassy(t, name)
			made := setTrap(e.Site)
			owner := e.browser()
			owner.signIn("github", alice())
			made.wantSprung(owner.Caller)
		})
	}
}

// TestWhatAProvenAccountDidStays resets the password of somebody who proved the
// address long before.
func TestWhatAProvenAccountDidStays(t *testing.T) {
	s := storytest.Programs()["inmemory"].Serve(t)
	c := storytest.NewCompany(s)
	reset := func(n int, password string) {
		forgot(s, c.Owner.User.Email)
		token := resetToken(s, mails(s, c.Owner.User.Email, n)[n-1])
		if got := resetTo(s, token, password); got.Status != http.StatusNoContent {
			t.Fatalf("reset: got %d %s, want 204", got.Status, got.Body)
		}
	}
	reset(1, "the first of mine")
	c.Owner.Token = signInFor(s, c.Owner.User.Email, "the first of mine")
	c.Owner.Join(c.Owner.Workspace, c.Owner.Site.SignUp(), core.RoleMember)
	reset(2, "the second of mine")
	c.Owner.Token = signInFor(s, c.Owner.User.Email, "the second of mine")
	if got := len(c.Roles(c.Owner)); got != 2 {
		t.Errorf("got %d members, want the owner and whom they invited once they had proven the address", got)
	}
}

// signInFor opens a session and returns its access token.
func signInFor(s *storytest.Site, email, password string) string {
	s.T.Helper()
	var session struct{ AccessToken string }
	(&storytest.Caller{Site: s}).Must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": email, "password": password}, &session)
	return session.AccessToken
}
