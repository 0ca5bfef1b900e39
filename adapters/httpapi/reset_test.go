package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/storage"
)

// newResetAPI is an API whose store the test can reach.
func newResetAPI(t *testing.T) (*api, storage.Store) {
	t.Helper()
	store := memory.NewStore()
	return newAPI(t, func(d *Deps) {
		d.Accounts = accounts.New(accounts.Deps{
			Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(store),
			Store: store, Tokens: memory.NewTokens(d.Now), Passwords: memory.NewPasswords(), Mails: mailer.New(d.Sealer, d.Now),
			Audit: audit.New(audit.Deps{Store: store, Gate: access.NewGate(store), Now: d.Now, Log: d.Log}), Now: d.Now, Log: d.Log,
			Estate: estate(store, *d), Settings: accounts.Settings{AccessTTL: d.Settings.AccessTTL, RefreshTTL: d.Settings.RefreshTTL},
		})
	}), store
}

// estate is everything that people in store hold beside their accounts.
func estate(store storage.Store, d Deps) accounts.Reclaimer {
	records := audit.New(audit.Deps{Store: store, Gate: access.NewGate(store), Now: d.Now, Log: d.Log})
	return workspaces.NewMembers(workspaces.MemberDeps{Store: store, Audit: records, Runs: noRuns{}, Trash: noTrash{}, Bus: memory.NewBus(), Log: d.Log})
}

// resetToken makes a ticket as the mail's sending does.
func (a *api) resetToken(store storage.Store, user string) string {
	a.t.Helper()
	token := core.NewSecret()
	err := store.Tables().Tickets.Create(a.t.Context(), core.Ticket{
		Kind: core.TicketPasswordReset, Hash: core.HashSecret(token), UserID: core.ID(user), ExpiresAt: core.At(a.clock.Now().Add(time.Hour)),
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return token
}

func resetBody(token, password string) string {
	return `{"token":"` + token + `","password":"` + password + `"}`
}

func TestResettingAPassword(t *testing.T) {
	a, store := newResetAPI(t)
	made := a.signUp("ada@example.com")
	token := a.resetToken(store, made.text("user.id"))
	a.do("POST", "/auth/reset-password", resetBody(token, "short")).want(t, "a short password", 400, "validation_failed")
	a.do("POST", "/auth/reset-password", resetBody(core.NewSecret(), "new password")).want(t, "a wrong token", 400, "invalid_token")
	done := a.do("POST", "/auth/reset-password", resetBody(token, "new password"))
	done.want(t, "the reset", 204, "")
	if done.body != "" || len(done.Cookies()) > 0 {
		t.Errorf("got %q and %v, want nothing", done.body, done.Cookies())
	}
	a.do("POST", "/auth/reset-password", resetBody(token, "newer password")).want(t, "the token again", 400, "invalid_token")
	a.do("POST", "/auth/refresh", `{"refreshToken":"`+made.text("refreshToken")+`"}`).want(t, "a session from before", 401, "unauthenticated")
	a.do("POST", "/auth/login", `{"email":"ada@example.com","password":"correct horse"}`).want(t, "the old password", 401, "invalid_credentials")
	got := a.do("POST", "/auth/login", `{"email":"ada@example.com","password":"new password"}`)
	if got.want(t, "the new password", 200, ""); got.member("user.emailVerified") != true {
		t.Errorf("got %s, want the address verified", got.body)
	}
	lapsed := a.resetToken(store, made.text("user.id"))
	a.clock.add(time.Hour)
	a.do("POST", "/auth/reset-password", resetBody(lapsed, "newer password")).want(t, "an hour later", 400, "invalid_token")
}

func TestResetBodiesAreHeldToTheirShape(t *testing.T) {
	a, _ := newResetAPI(t)
	for path, bodies := range map[string][]string{
		"/auth/forgot-password": {`{}`, `{"email":null}`, `{"email":1}`, `{"email":"ada@example.com","x":1}`, `[]`, `{"email":["ada@example.com"]}`},
		"/auth/reset-password":  {`{}`, `{"token":"x"}`, `{"password":"long enough"}`, `{"token":1,"password":"long enough"}`, `{"token":"x","password":"long enough","email":"x"}`},
	} {
		for _, body := range bodies {
			a.do("POST", path, body).want(t, path+" "+body, 400, "invalid_request")
		}
		a.do("GET", path, "").want(t, "GET "+path, 405, "method_not_allowed")
	}
	for _, email := range []string{"", "ada", "ada@", "@example.com", "a@b@c", "ada@example.com, eve@example.com", `ada@example.com\r\nBcc: eve@example.com`} {
		a.do("POST", "/auth/forgot-password", `{"email":"`+email+`"}`).want(t, email, 400, "validation_failed")
	}
}

// visible is the part of an answer that does not differ with every call.
func visible(got answer) (int, string, []string) {
	var names []string
	for name, values := range got.Header {
		if name != "X-Request-Id" && name != "Date" {
			names = append(names, name+": "+strings.Join(values, ","))
		}
	}
	slices.Sort(names)
	return got.StatusCode, got.body, names
}

// TestEnumerationByAnswers: an address that has an account and one that has none
// get the same answer, to the byte.
func TestEnumerationByAnswers(t *testing.T) {
	a, _ := newResetAPI(t)
	a.signUp("ada@example.com")
	for path, c := range map[string]struct {
		body   string
		status int
	}{
		"/auth/forgot-password": {`{"email":"NAME@example.com"}`, http.StatusAccepted},
		"/auth/login":           {`{"email":"NAME@example.com","password":"wrong password"}`, http.StatusUnauthorized},
	} {
		status, body, headers := visible(a.do("POST", path, strings.Replace(c.body, "NAME", "ada", 1)))
		if status != c.status {
			t.Errorf("%s: got %d %s, want %d", path, status, body, c.status)
		}
		for _, name := range []string{"eve", "ADA2", "ada+x"} {
			otherStatus, otherBody, otherHeaders := visible(a.do("POST", path, strings.Replace(c.body, "NAME", name, 1)))
			if otherStatus != status || otherBody != body || !slices.Equal(otherHeaders, headers) {
				t.Errorf("%s: got %d %s %v for %s, want %d %s %v", path, otherStatus, otherBody, otherHeaders, name, status, body, headers)
			}
		}
	}
}

func TestResetRoutesAreLimitedAndHeldToTheOrigin(t *testing.T) {
	a := newAPI(t, func(d *Deps) { d.Settings.AuthRatePerMinute = 4 })
	for _, path := range []string{"/auth/forgot-password", "/auth/reset-password"} {
		a.do("POST", path, `{}`, cookie(guard.AccessCookie, "x"), header("Origin", "https://evil.example")).want(t, path+" from elsewhere", 403, "cross_origin")
	}
	for range 2 {
		a.do("POST", "/auth/forgot-password", `{"email":"eve@example.com"}`).want(t, "within the limit", 202, "")
	}
	a.do("POST", "/auth/forgot-password", `{"email":"eve@example.com"}`).want(t, "beyond it", 429, "rate_limited")
	a.do("POST", "/auth/reset-password", resetBody("x", "long enough")).want(t, "beyond it, too", 429, "rate_limited")
}
