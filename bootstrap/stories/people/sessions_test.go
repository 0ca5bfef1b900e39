package people_test

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/credentials"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/identity"
)

// newAccount is somebody with the tokens of a session.
func newAccount(s *storytest.Site) account {
	s.T.Helper()
	return signUpAs(s, string(core.NewID())+"@example.com")
}

// again opens another session of the account.
func (a account) again() account {
	a.T.Helper()
	var session struct{ AccessToken, RefreshToken string }
	(&storytest.Caller{Site: a.Site}).Must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": a.User.Email, "password": "long enough"}, &session)
	other := a
	other.Caller = &storytest.Caller{Site: a.Site, Token: session.AccessToken, User: a.User}
	other.refresh = session.RefreshToken
	return other
}

// renew refreshes by the body.
func (a *account) renew(token string) storytest.Answer {
	a.T.Helper()
	return (&storytest.Caller{Site: a.Site}).Do(http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": token})
}

// wantOver waits until the service refuses an access token, and holds the refresh
// token to the same.
func (a account) wantOver(what string) {
	a.T.Helper()
	a.wantRefused(what)
	if got := a.renew(a.refresh); got.Status != http.StatusUnauthorized {
		a.T.Errorf("%s: got %d %s for the refresh token, want 401", what, got.Status, got.Body)
	}
}

// wantRefused waits until the service refuses an access token.
func (a account) wantRefused(what string) {
	a.T.Helper()
	conformance.Eventually(a.T, what+": the end of the access token", func() bool {
		return a.Do(http.MethodGet, "/auth/me", nil).Status == http.StatusUnauthorized
	})
}

func TestAnEndedSessionsTokensAreRefusedInEveryProcess(t *testing.T) {
	seen, _ := storytest.Processes(t, 2)
	here, there := seen[0].Site, seen[1].Site
	for what, end := range map[string]func(a account){
		"signing out": func(a account) {
			a.Must(http.StatusNoContent, http.MethodPost, "/auth/logout", nil, nil)
		},
		"signing out everywhere": func(a account) {
			a.Must(http.StatusNoContent, http.MethodPost, "/auth/logout-all", nil, nil)
		},
		"another password": func(a account) {
			body := map[string]string{"currentPassword": "long enough", "password": "of another kind"}
			a.Must(http.StatusOK, http.MethodPatch, "/auth/me", body, nil)
		},
		"deleting the account": func(a account) {
			a.Must(http.StatusNoContent, http.MethodDelete, "/auth/me", long, nil)
		},
	} {
		t.Run(what, func(t *testing.T) {
			a := newAccount(here)
			elsewhere := a
			elsewhere.Caller = &storytest.Caller{Site: there, Token: a.Token, User: a.User}
			elsewhere.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
			end(a)
			if got := a.Do(http.MethodGet, "/auth/me", nil); got.Status != http.StatusUnauthorized {
				t.Errorf("in the process that ended it: got %d, want 401", got.Status)
			}
			elsewhere.wantOver(what)
		})
	}
}

func TestSigningOutEndsOneSession(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			a := newAccount(program.Serve(t))
			b := a.again()
			a.Must(http.StatusNoContent, http.MethodPost, "/auth/logout", nil, nil)
			a.wantOver("signed out")
			c := a.again()
			c.signOutByCookie()
			c.wantOver("signed out by the cookie")
			b.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
			if got := b.renew(b.refresh); got.Status != http.StatusOK {
				t.Errorf("the other session: got %d %s, want 200", got.Status, got.Body)
			}
		})
	}
}

func TestARefreshTokenIsReplaced(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			a := newAccount(program.Serve(t))
			var next struct{ AccessToken, RefreshToken string }
			body := map[string]string{"refreshToken": a.refresh}
			(&storytest.Caller{Site: a.Site}).Must(http.StatusOK, http.MethodPost, "/auth/refresh", body, &next)
			if next.RefreshToken == "" || next.RefreshToken == a.refresh {
				t.Fatalf("got %q, want another refresh token", next.RefreshToken)
			}
			if got := a.renew(next.RefreshToken); got.Status != http.StatusOK {
				t.Errorf("the next one: got %d %s, want 200", got.Status, got.Body)
			}
		})
	}
}

func TestTwoTabsThatRefreshAtOnceBothGoOn(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			a := newAccount(program.Serve(t))
			var tabs sync.WaitGroup
			for range 8 {
				tabs.Go(func() {
					token := a.refresh
					for range 3 {
						var next struct{ AccessToken, RefreshToken string }
						(&storytest.Caller{Site: a.Site}).Must(http.StatusOK, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": token}, &next)
						(&storytest.Caller{Site: a.Site, Token: next.AccessToken}).Must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
						token = next.RefreshToken
					}
				})
			}
			tabs.Wait()
		})
	}
}

// TestACopiedRefreshTokenEndsItsSession puts the first use of a token half a minute
// back, which is where a copy counts.
func TestACopiedRefreshTokenEndsItsSession(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			a := newAccount(program.Serve(t))
			var next struct{ AccessToken, RefreshToken string }
			(&storytest.Caller{Site: a.Site}).Must(http.StatusOK, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": a.refresh}, &next)
			a.spentLongAgo(next.RefreshToken)
			thief := a.renew(a.refresh)
			if thief.Status != http.StatusUnauthorized || thief.Code() != core.CodeUnauthenticated {
				t.Fatalf("the copy: got %d %s, want 401", thief.Status, thief.Body)
			}
			a.Token, a.refresh = next.AccessToken, next.RefreshToken
			a.wantOver("after the copy")
		})
	}
}

// spentLongAgo puts back when the tokens of a session were used.
func (a *account) spentLongAgo(refresh string) {
	a.T.Helper()
	var claims struct {
		SID, Session core.ID
	}
	for part := range strings.SplitSeq(refresh, ".") {
		text, _ := base64.RawURLEncoding.DecodeString(part)
		_ = json.Unmarshal(text, &claims)
	}
	id := cmp.Or(claims.SID, claims.Session)
	_, err := a.App.Store.Tables().Sessions.Update(a.T.Context(), id, func(session *core.Session) error {
		for i := range session.Spent {
			session.Spent[i].At -= core.RefreshGrace + 1
		}
		return nil
	})
	if err != nil {
		a.T.Fatal(err)
	}
}

// signOutByCookie signs out as a browser does.
func (a account) signOutByCookie() {
	a.T.Helper()
	got := (&storytest.Caller{Site: a.Site}).Do(http.MethodPost, "/auth/logout", nil, "Cookie", "app_refresh_token="+a.refresh, "Origin", a.URL)
	if got.Status != http.StatusNoContent {
		a.T.Errorf("logout: got %d %s, want 204", got.Status, got.Body)
	}
}

// TestTokensFromBeforeSessionsWereRecordsGoOn signs tokens without a session.
func TestTokensFromBeforeSessionsWereRecordsGoOn(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(storytest.Programs()[name].Serve(t))
			tokens, err := credentials.NewTokens(a.App.Settings.JWTSecret, a.App.Settings.JWTIssuer, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			old := func(kind identity.TokenKind) string {
				now := core.At(time.Now().Truncate(time.Second))
				token, err := tokens.Sign(identity.Claims{
					ID: core.NewID(), Subject: a.User.ID, Kind: kind, IssuedAt: now, ExpiresAt: now.Add(time.Hour),
				})
				if err != nil {
					t.Fatal(err)
				}
				return token
			}
			(&storytest.Caller{Site: a.Site, Token: old(identity.TokenAccess)}).Must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
			refresh := old(identity.TokenRefresh)
			var next struct{ AccessToken, RefreshToken string }
			for range 2 {
				(&storytest.Caller{Site: a.Site}).Must(http.StatusOK, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": refresh}, &next)
			}
			a.spentLongAgo(next.RefreshToken)
			for range 2 {
				if got := a.renew(refresh); got.Status != http.StatusUnauthorized {
					t.Errorf("a copy: got %d %s, want 401", got.Status, got.Body)
				}
			}
			left := a
			left.refresh = old(identity.TokenRefresh)
			left.signOutByCookie()
			if got := a.renew(left.refresh); got.Status != http.StatusUnauthorized {
				t.Errorf("signed out: got %d %s, want 401", got.Status, got.Body)
			}
		})
	}
}
