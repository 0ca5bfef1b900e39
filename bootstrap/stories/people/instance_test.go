package people_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// newcomer sends a sign-up of an address, with an invitation's secret if there is one.
func newcomer(s *storytest.Site, email, secret string) storytest.Answer {
	body := map[string]string{"email": email, "password": "long enough"}
	if secret != "" {
		body["invite"] = secret
	}
	return (&storytest.Caller{Site: s}).Do(http.MethodPost, "/auth/signup", body)
}

// secretIn returns the secret of a link to the sign-up page.
func secretIn(t *testing.T, link string) string {
	t.Helper()
	parsed, err := url.Parse(link)
	if err != nil || !strings.HasSuffix(parsed.Path, "/signup") || parsed.Query().Get("invite") == "" {
		t.Fatalf("got the link %q, want one to the sign-up page with a secret", link)
	}
	return parsed.Query().Get("invite")
}

// TestAnAdminClosesTheDoor plays the sign-up policy and invitations against every program.
func TestAnAdminClosesTheDoor(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			admin, member := s.SignUp(), s.SignUp()
			member.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPatch, "/admin/settings", map[string]string{"signup": "open"})
			admin.Must(http.StatusOK, http.MethodPatch, "/admin/settings", map[string]string{"signup": "invite", "announcement": "Welcome"}, nil)

			for _, email := range []string{"eve@example.com", member.User.Email} {
				if got := newcomer(s, email, ""); got.Status != http.StatusForbidden || !strings.Contains(string(got.Body), `"signup_closed"`) {
					t.Errorf("sign-up of %s: got %d %s, want 403 signup_closed", email, got.Status, got.Body)
				}
			}
			var invited struct {
				ID   core.ID
				Link string
			}
			admin.Must(http.StatusCreated, http.MethodPost, "/admin/invites", map[string]string{"email": "Guest@Example.com"}, &invited)
			secret := secretIn(t, invited.Link)
			if got := newcomer(s, "eve@example.com", secret); got.Status != http.StatusForbidden {
				t.Errorf("another address with the link: got %d %s, want 403", got.Status, got.Body)
			}
			if got := newcomer(s, "guest@example.com", secret); got.Status != http.StatusCreated {
				t.Errorf("the invited person: got %d %s, want 201", got.Status, got.Body)
			}
			admin.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, "/admin/invites/"+string(invited.ID), nil)

			var seen struct {
				Instance struct {
					Admin        bool
					Announcement string
				}
			}
			member.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &seen)
			if seen.Instance.Admin || seen.Instance.Announcement != "Welcome" {
				t.Errorf("got %+v for a member, want the notice and no role", seen)
			}
			var log struct{ Items []core.AuditEntry }
			admin.Must(http.StatusOK, http.MethodGet, "/admin/audit", nil, &log)
			if len(log.Items) < 3 || log.Items[0].Action != core.AuditInstanceJoined {
				t.Errorf("got %+v, want who joined, who was invited, and the settings", log.Items)
			}
		})
	}
}

// TestADisabledAccountOpensNothing plays what an admin does with an account.
func TestADisabledAccountOpensNothing(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			admin, member := s.SignUp(), newAccount(s)
			var made struct{ Token string }
			member.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "x", "scopes": []core.Scope{core.ScopeProjectsRead}}, &made)
			program := *member.Caller
			program.Token = made.Token
			program.Must(http.StatusOK, http.MethodGet, "/projects", nil, nil)

			path := "/admin/users/" + string(member.User.ID)
			member.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPatch, path, map[string]bool{"admin": true})
			admin.Must(http.StatusOK, http.MethodPatch, path, map[string]bool{"disabled": true}, nil)
			member.wantOver("the session of a disabled account")
			program.Refused(http.StatusUnauthorized, core.CodeUnauthenticated, http.MethodGet, "/projects", nil)
			login := map[string]string{"email": member.User.Email, "password": "long enough"}
			visitor := &storytest.Caller{Site: s}
			visitor.Refused(http.StatusForbidden, core.CodeAccountDisabled, http.MethodPost, "/auth/login", login)
			visitor.Refused(http.StatusUnauthorized, core.CodeInvalidCredentials, http.MethodPost, "/auth/login", map[string]string{"email": member.User.Email, "password": "wrong password"})

			admin.Must(http.StatusOK, http.MethodPatch, path, map[string]bool{"disabled": false}, nil)
			program.Must(http.StatusOK, http.MethodGet, "/projects", nil, nil)
			visitor.Must(http.StatusOK, http.MethodPost, "/auth/login", login, nil)

			own := "/admin/users/" + string(admin.User.ID)
			admin.Refused(http.StatusConflict, core.CodeConflict, http.MethodPatch, own, map[string]bool{"admin": false})
			var people struct{ Items []struct{ Email string } }
			admin.Must(http.StatusOK, http.MethodGet, "/admin/users?q="+url.QueryEscape(strings.ToUpper(member.User.Email)), nil, &people)
			if len(people.Items) != 1 || people.Items[0].Email != member.User.Email {
				t.Errorf("got %+v, want the one whose address was asked for", people.Items)
			}
		})
	}
}

// TestDomainsLetOnlyTheirPeopleIn tries the ways around a policy that goes by addresses: typing one,
// moving to another, and bringing a friend.
func TestDomainsLetOnlyTheirPeopleIn(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, map[string]string{"SIGNUP": "domains", "SIGNUP_DOMAINS": "corp.example"})
	admin := signUpAs(s, "admin@corp.example")
	prove(admin.Caller)
	wantRefused(t, "somebody else", newcomer(s, "eve@evil.example", ""), http.StatusForbidden, core.CodeSignupClosed)
	eve := signUpAs(s, "madeup@corp.example")
	eve.Workspace = core.NewID()
	wantRefused(t, "the first action", eve.Do(http.MethodPost, "/workspaces/"+string(eve.Workspace)+"/projects", storytest.Fields{"name": "x"}), http.StatusForbidden, core.CodeEmailUnverified)
	wantRefused(t, "an invitation", inviteStranger(eve.Caller, 1), http.StatusForbidden, core.CodeEmailUnverified)
	wantRefused(t, "a move", askForEmail(eve.Caller, "out@evil.example", "long enough"), http.StatusForbidden, core.CodeSignupClosed)
	prove(eve.Caller)
	awaitAnswer(eve.Caller, "/workspaces", http.StatusOK, "")
	wantRefused(t, "a move of somebody proven", askForEmail(eve.Caller, "out@evil.example", "long enough"), http.StatusForbidden, core.CodeSignupClosed)
	if got := askForEmail(eve.Caller, "real@corp.example", "long enough"); got.Status != http.StatusAccepted {
		t.Errorf("a move at home: got %d %s, want 202", got.Status, got.Body)
	}
}

// TestAMoveIsAskedForAgainWhenItHappens is for policies that change while a link is on its way.
func TestAMoveIsAskedForAgainWhenItHappens(t *testing.T) {
	s := storytest.Programs()["inmemory"].Serve(t)
	admin, member := signUpAs(s, "admin@corp.example"), signUpAs(s, "member@corp.example")
	prove(admin.Caller)
	prove(member.Caller)
	if got := askForEmail(member.Caller, "out@evil.example", "long enough"); got.Status != http.StatusAccepted {
		t.Fatalf("got %d %s, want 202", got.Status, got.Body)
	}
	token := proofToken(s, "out@evil.example", 1)
	awaitAnswer(admin.Caller, "/admin/settings", http.StatusOK, "")
	admin.Must(http.StatusOK, http.MethodPatch, "/admin/settings", storytest.Fields{"signup": "domains", "signupDomains": []string{"corp.example"}}, nil)
	wantRefused(t, "the link", followProof(member.Caller, token, false), http.StatusForbidden, core.CodeSignupClosed)
}

// TestTheEnvironmentFixesWhoSignsUp starts a closed installation.
func TestTheEnvironmentFixesWhoSignsUp(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, map[string]string{"SIGNUP": "domains", "SIGNUP_DOMAINS": "example.org"})
	admin := s.SignUp()
	prove(admin)
	awaitAnswer(admin, "/admin/settings", http.StatusOK, "")
	admin.Refused(http.StatusConflict, core.CodeConflict, http.MethodPatch, "/admin/settings", map[string]string{"signup": "open"})
	for email, want := range map[string]int{"bob@example.org": http.StatusCreated, "bob@example.com": http.StatusForbidden} {
		if got := newcomer(s, email, ""); got.Status != want {
			t.Errorf("%s: got %d %s, want %d", email, got.Status, got.Body, want)
		}
	}
}

// TestHealthIsInTheAdminsLanguage: no part of any program says something that has no translation.
func TestHealthIsInTheAdminsLanguage(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			admin := program.Serve(t).SignUp()
			for asked, want := range map[string]string{"de": "Antwortet und nimmt Änderungen an", "es": "Responde y acepta cambios", "fr": "answers and takes changes"} {
				var found struct {
					Items []struct{ Name, Text, Language string }
				}
				got := admin.Do(http.MethodGet, "/admin/health", nil, "Accept-Language", asked)
				if err := json.Unmarshal(got.Body, &found); err != nil || len(found.Items) == 0 || found.Items[0].Text != want {
					t.Fatalf("%s: got %d %s, want first that the database %q", asked, got.Status, got.Body, want)
				}
				for _, part := range found.Items {
					if wanted := strings.Replace(asked, "fr", "en", 1); part.Language != wanted {
						t.Errorf("%s: got %q in %s of the %s", asked, part.Text, part.Language, part.Name)
					}
				}
			}
		})
	}
}
