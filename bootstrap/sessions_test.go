package bootstrap_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/credentials"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// newAccount is somebody with the tokens of a session.
func (s *site) newAccount() account {
	s.t.Helper()
	return s.signUpAs(string(core.NewID()) + "@example.com")
}

// again opens another session of the account.
func (a account) again() account {
	a.t.Helper()
	var session struct{ AccessToken, RefreshToken string }
	(&caller{site: a.site}).must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": a.user.Email, "password": "long enough"}, &session)
	other := a
	other.caller = &caller{site: a.site, token: session.AccessToken, user: a.user}
	other.refresh = session.RefreshToken
	return other
}

// renew refreshes by the body.
func (a *account) renew(token string) answer {
	a.t.Helper()
	return (&caller{site: a.site}).do(http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": token})
}

// wantOver waits until the service refuses an access token, and holds the refresh
// token to the same.
func (a account) wantOver(what string) {
	a.t.Helper()
	a.wantRefused(what)
	if got := a.renew(a.refresh); got.status != http.StatusUnauthorized {
		a.t.Errorf("%s: got %d %s for the refresh token, want 401", what, got.status, got.body)
	}
}

// wantRefused waits until the service refuses an access token.
func (a account) wantRefused(what string) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	for a.do(http.MethodGet, "/auth/me", nil).status != http.StatusUnauthorized {
		select {
		case <-ctx.Done():
			a.t.Fatalf("%s: the access token goes on to work", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestAnEndedSessionsTokensAreRefusedInEveryProcess(t *testing.T) {
	seen, _ := processes(t, 2)
	here, there := seen[0].site, seen[1].site
	for what, end := range map[string]func(a account){
		"signing out": func(a account) {
			a.must(http.StatusNoContent, http.MethodPost, "/auth/logout", nil, nil)
		},
		"signing out everywhere": func(a account) {
			a.must(http.StatusNoContent, http.MethodPost, "/auth/logout-all", nil, nil)
		},
		"another password": func(a account) {
			body := map[string]string{"currentPassword": "long enough", "password": "of another kind"}
			a.must(http.StatusOK, http.MethodPatch, "/auth/me", body, nil)
		},
	} {
		t.Run(what, func(t *testing.T) {
			a := here.newAccount()
			elsewhere := a
			elsewhere.caller = &caller{site: there, token: a.token, user: a.user}
			elsewhere.must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
			end(a)
			if got := a.do(http.MethodGet, "/auth/me", nil); got.status != http.StatusUnauthorized {
				t.Errorf("in the process that ended it: got %d, want 401", got.status)
			}
			elsewhere.wantOver(what)
		})
	}
}

func TestSigningOutEndsOneSession(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			a := program.serve(t).newAccount()
			b := a.again()
			a.must(http.StatusNoContent, http.MethodPost, "/auth/logout", nil, nil)
			a.wantOver("signed out")
			c := a.again()
			c.signOutByCookie()
			c.wantOver("signed out by the cookie")
			b.must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
			if got := b.renew(b.refresh); got.status != http.StatusOK {
				t.Errorf("the other session: got %d %s, want 200", got.status, got.body)
			}
		})
	}
}

func TestARefreshTokenIsReplaced(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			a := program.serve(t).newAccount()
			var next struct{ AccessToken, RefreshToken string }
			body := map[string]string{"refreshToken": a.refresh}
			(&caller{site: a.site}).must(http.StatusOK, http.MethodPost, "/auth/refresh", body, &next)
			if next.RefreshToken == "" || next.RefreshToken == a.refresh {
				t.Fatalf("got %q, want another refresh token", next.RefreshToken)
			}
			if got := a.renew(next.RefreshToken); got.status != http.StatusOK {
				t.Errorf("the next one: got %d %s, want 200", got.status, got.body)
			}
		})
	}
}

func TestTwoTabsThatRefreshAtOnceBothGoOn(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			a := program.serve(t).newAccount()
			var tabs sync.WaitGroup
			for range 8 {
				tabs.Go(func() {
					token := a.refresh
					for range 3 {
						var next struct{ AccessToken, RefreshToken string }
						(&caller{site: a.site}).must(http.StatusOK, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": token}, &next)
						(&caller{site: a.site, token: next.AccessToken}).must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
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
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			a := program.serve(t).newAccount()
			var next struct{ AccessToken, RefreshToken string }
			(&caller{site: a.site}).must(http.StatusOK, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": a.refresh}, &next)
			a.spentLongAgo(next.RefreshToken)
			thief := a.renew(a.refresh)
			if thief.status != http.StatusUnauthorized || thief.code() != core.CodeUnauthenticated {
				t.Fatalf("the copy: got %d %s, want 401", thief.status, thief.body)
			}
			a.token, a.refresh = next.AccessToken, next.RefreshToken
			a.wantOver("after the copy")
		})
	}
}

// spentLongAgo puts back when the tokens of a session were used.
func (a *account) spentLongAgo(refresh string) {
	a.t.Helper()
	var claims struct {
		SID, Session core.ID
	}
	for part := range strings.SplitSeq(refresh, ".") {
		text, _ := base64.RawURLEncoding.DecodeString(part)
		_ = json.Unmarshal(text, &claims)
	}
	id := cmp.Or(claims.SID, claims.Session)
	_, err := a.app.Store.Tables().Sessions.Update(a.t.Context(), id, func(session *core.Session) error {
		for i := range session.Spent {
			session.Spent[i].At -= core.RefreshGrace + 1
		}
		return nil
	})
	if err != nil {
		a.t.Fatal(err)
	}
}

// signOutByCookie signs out as a browser does.
func (a account) signOutByCookie() {
	a.t.Helper()
	got := (&caller{site: a.site}).do(http.MethodPost, "/auth/logout", nil, "Cookie", "app_refresh_token="+a.refresh, "Origin", a.url)
	if got.status != http.StatusNoContent {
		a.t.Errorf("logout: got %d %s, want 204", got.status, got.body)
	}
}

// TestTokensFromBeforeSessionsWereRecordsGoOn signs tokens without a session.
func TestTokensFromBeforeSessionsWereRecordsGoOn(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			a := programs()[name].serve(t).newAccount()
			tokens, err := credentials.NewTokens(a.app.Settings.JWTSecret, a.app.Settings.JWTIssuer, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			old := func(kind identity.TokenKind) string {
				now := core.At(time.Now().Truncate(time.Second))
				token, err := tokens.Sign(identity.Claims{
					ID: core.NewID(), Subject: a.user.ID, Kind: kind, IssuedAt: now, ExpiresAt: now.Add(time.Hour),
				})
				if err != nil {
					t.Fatal(err)
				}
				return token
			}
			(&caller{site: a.site, token: old(identity.TokenAccess)}).must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
			refresh := old(identity.TokenRefresh)
			var next struct{ AccessToken, RefreshToken string }
			for range 2 {
				(&caller{site: a.site}).must(http.StatusOK, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": refresh}, &next)
			}
			a.spentLongAgo(next.RefreshToken)
			for range 2 {
				if got := a.renew(refresh); got.status != http.StatusUnauthorized {
					t.Errorf("a copy: got %d %s, want 401", got.status, got.body)
				}
			}
			left := a
			left.refresh = old(identity.TokenRefresh)
			left.signOutByCookie()
			if got := a.renew(left.refresh); got.status != http.StatusUnauthorized {
				t.Errorf("signed out: got %d %s, want 401", got.status, got.body)
			}
		})
	}
}
