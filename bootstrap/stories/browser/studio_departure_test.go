package browser

import (
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func departureStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"somebody downloads their data and deletes their account": anAccountIsDeleted,
		"an admin deletes an account":                             anAdminDeletesAnAccount,
		"a linked provider is unlinked":                           aProviderIsUnlinked,
		"somebody without a password deletes their account":       anAccountWithoutAPasswordIsDeleted,
	}
}

func anAccountIsDeleted(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost", nil)
	s.signUp(t)
	axe := fetchAxe(t)
	u, other := s.signUp(t), s.signUp(t)
	shared := u.shareWith(other)
	p := c.enterAs(t, u, "/settings/security")
	folder := p.downloads()
	p.press("link", "Download your data")
	p.wait("the document", func() bool {
		content, err := os.ReadFile(filepath.Join(folder, "atelier-account.json"))
		return err == nil && strings.Contains(string(content), u.email) && strings.HasSuffix(string(content), "}\n")
	})
	p.press("button", "Delete account…")
	p.sees("Delete your account?")
	p.sees("workspaces that no one else belongs to")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.settle()
		p.wantAccessible("delete account, "+shape.name, axe)
		p.snapshot("delete account " + shape.name)
	}
	p.fill("Current password", "not this one")
	p.press("button", "Delete my account")
	p.sees("This isn’t your current password.")
	p.pardon(http.StatusUnauthorized)
	p.fill("Current password", "long enough")
	p.press("button", "Delete my account")
	p.sees("would lose their last owner: \"Team\"")
	p.pardon(http.StatusConflict)
	var they struct{ User core.User }
	other.call(http.StatusOK, http.MethodGet, "/auth/me", nil, &they)
	u.call(http.StatusOK, http.MethodPost, "/workspaces/"+string(shared.WorkspaceID)+"/transfer", map[string]any{"userId": they.User.ID}, nil)
	p.press("button", "Delete my account")
	p.wantHeading("Welcome back")
	p.wantQuiet()
	u.call(http.StatusUnauthorized, http.MethodGet, "/auth/me", nil, nil)
	other.call(http.StatusOK, http.MethodGet, "/projects/"+string(shared.ID), nil, nil)
}

func anAdminDeletesAnAccount(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost", nil)
	admin, other := s.signUp(t), s.signUp(t)
	p := c.enterAs(t, admin, "/admin/people")
	p.sees(other.email)
	p.press("button", "More actions for "+other.email)
	p.press("menuitem", "Delete account")
	p.sees("Delete " + other.email + "’s account?")
	p.agree("Delete account")
	p.sees("account was deleted.")
	p.wait("the account is gone", func() bool {
		return evaluate[bool](p, "!document.querySelector('.rows').innerText.includes("+quoted(other.email)+")")
	})
	p.wantQuiet()
	other.call(http.StatusUnauthorized, http.MethodPost, "/auth/login", map[string]string{"email": other.email, "password": "long enough"}, nil)
}

// aProviderIsUnlinked signs up with GitHub, which is the only way into the account, and then
// chooses a password.
func aProviderIsUnlinked(t *testing.T, c *chromium, _ *service) {
	s := startWithGitHub(t)
	p := c.open(t)
	p.visit(s.url + "/auth/github")
	p.at("/dashboard")
	p.visit(s.url + "/settings/security")
	p.sees("Ways to sign in")
	p.press("button", "Unlink GitHub")
	p.agree("Unlink")
	p.sees("the only way into the account")
	p.pardon(http.StatusConflict)
	nobody := &user{service: s, t: t}
	nobody.call(http.StatusAccepted, http.MethodPost, "/auth/forgot-password", map[string]string{"email": "ada@example.com"}, nil)
	link := s.linkMailed(t, "ada@example.com", "/reset-password?token=")
	nobody.call(http.StatusNoContent, http.MethodPost, "/auth/reset-password", map[string]string{"token": strings.TrimPrefix(link, "/reset-password?token="), "password": "long enough"}, nil)
	p.visit(s.url + "/auth/github")
	p.at("/dashboard")
	p.visit(s.url + "/settings/security")
	p.press("button", "Unlink GitHub")
	p.agree("Unlink")
	p.misses("Ways to sign in")
	p.wantQuiet()
}

// anAccountWithoutAPasswordIsDeleted has a sign-in confirm what a password would: one of the last
// 10 minutes.
func anAccountWithoutAPasswordIsDeleted(t *testing.T, c *chromium, _ *service) {
	s := startWithGitHub(t)
	s.signUp(t)
	axe := fetchAxe(t)
	p := c.open(t)
	p.visit(s.url + "/auth/github")
	p.at("/dashboard")
	s.ageSessions(t)
	p.visit(s.url + "/settings/security")
	p.sees("You sign in without a password")
	p.press("button", "Turn on")
	p.press("button", "Next")
	p.sees("You signed in more than 10 minutes ago")
	p.pardon(http.StatusForbidden)
	p.press("button", "Cancel")
	p.press("button", "Delete account…")
	p.sees("You have no password")
	p.press("button", "Delete my account")
	p.sees("You signed in more than 10 minutes ago")
	p.pardon(http.StatusForbidden)
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.settle()
		p.wantAccessible("sign in again, "+shape.name, axe)
		p.snapshot("sign in again " + shape.name)
	}
	p.press("button", "Sign in again")
	p.wantHeading("Welcome back")
	p.press("link", "Continue with GitHub")
	p.at("/settings/security")
	p.press("button", "Delete account…")
	p.press("button", "Delete my account")
	p.wantHeading("Welcome back")
	p.wantQuiet()
}

// ageSessions lets all sessions have begun an hour earlier.
func (s *service) ageSessions(t *testing.T) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.dataDir, "atelier.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE sessions SET created_at = created_at - 3600000"); err != nil {
		t.Fatal(err)
	}
}
