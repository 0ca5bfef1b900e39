package accounts_test

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/ports/identity"
)

// TestAttacksOnTheWayBack: an attack changes what a browser brings back. Each has a
// person at the provider and a browser of its own.
func TestAttacksOnTheWayBack(t *testing.T) {
	for name, c := range map[string]struct {
		change func(a *agora, back *accounts.OAuthCallback)
		want   core.Code
	}{
		"nothing is changed": {func(*agora, *accounts.OAuthCallback) {}, ""},
		"login CSRF: code and state of another browser": {func(a *agora, back *accounts.OAuthCallback) {
			other := a.leave(core.IdentityGitHub, "666")
			back.Code, back.State = other.Code, other.State
		}, core.CodeInvalidState},
		"login CSRF: a browser that never left": {func(_ *agora, back *accounts.OAuthCallback) { back.Sealed = "" }, core.CodeInvalidState},
		"code injection: the code of another attempt": {func(a *agora, back *accounts.OAuthCallback) {
			back.Code = a.leave(core.IdentityGitHub, "666").Code
		}, core.CodeInvalidCredentials},
		"mix-up: an attempt at another provider": {func(a *agora, back *accounts.OAuthCallback) {
			*back = a.leave(core.IdentityGoogle, "666")
		}, core.CodeInvalidState},
		"no state":        {func(_ *agora, back *accounts.OAuthCallback) { back.State = "" }, core.CodeInvalidState},
		"part of a state": {func(_ *agora, back *accounts.OAuthCallback) { back.State = back.State[:42] }, core.CodeInvalidState},
		"a forged attempt": {func(_ *agora, back *accounts.OAuthCallback) {
			back.Sealed = strings.Repeat("A", len(back.Sealed))
		}, core.CodeInvalidState},
		"an attempt that is no text of ours": {func(_ *agora, back *accounts.OAuthCallback) { back.Sealed += "!" }, core.CodeInvalidState},
		"a lapsed attempt":                   {func(a *agora, _ *accounts.OAuthCallback) { a.now = a.now.Add(accounts.AttemptLifetime) }, core.CodeInvalidState},
		"the last moment": {func(a *agora, _ *accounts.OAuthCallback) {
			a.now = a.now.Add(accounts.AttemptLifetime - time.Millisecond)
		}, ""},
		"no code":        {func(_ *agora, back *accounts.OAuthCallback) { back.Code = "" }, core.CodeInvalidCredentials},
		"a guessed code": {func(_ *agora, back *accounts.OAuthCallback) { back.Code = "guessed" }, core.CodeInvalidCredentials},
		"the person refuses": {func(_ *agora, back *accounts.OAuthCallback) {
			back.Code, back.Error = "", "access_denied"
		}, core.CodeAccessDenied},
		"somebody else says that the person refuses": {func(_ *agora, back *accounts.OAuthCallback) {
			back.State, back.Error = "guessed", "access_denied"
		}, core.CodeInvalidState},
		"the provider fails": {func(_ *agora, back *accounts.OAuthCallback) {
			back.Code, back.Error = "", "server_error"
		}, core.CodeUnavailable},
		"a code beside an error": {func(_ *agora, back *accounts.OAuthCallback) { back.Error = "server_error" }, core.CodeUnavailable},
	} {
		a := newAgora(t)
		evil := ada()
		evil.Subject, evil.Email = "666", "evil@example.com"
		a.github.AddPerson(ada())
		a.github.AddPerson(evil)
		a.google.AddPerson(evil)
		back := a.leave(core.IdentityGitHub, "1815")
		c.change(a, &back)
		session, _, err := a.FinishOAuth(t.Context(), from, core.IdentityGitHub, back)
		wantCode(t, name, err, c.want)
		if c.want != "" && session.AccessToken != "" {
			t.Errorf("%s: got a session, want none", name)
		}
	}
}

func TestAStateWorksOnceHoweverManyBringIt(t *testing.T) {
	a := newAgora(t)
	a.github.AddPerson(ada())
	back := a.leave(core.IdentityGitHub, "1815")
	errs := make([]error, 8)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { _, _, errs[i] = a.FinishOAuth(t.Context(), from, core.IdentityGitHub, back) })
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			wantCode(t, "one that came later", err, core.CodeInvalidState)
		}
	}
	if won != 1 {
		t.Errorf("got %d sign-ins of one attempt, want one", won)
	}
}

func TestAnAttemptIsSpentAlsoWhenItFails(t *testing.T) {
	a := newAgora(t)
	a.github.AddPerson(ada())
	back := a.leave(core.IdentityGitHub, "1815")
	refused := back
	refused.Code, refused.Error = "", "access_denied"
	_, _, err := a.FinishOAuth(t.Context(), from, core.IdentityGitHub, refused)
	wantCode(t, "the person refuses", err, core.CodeAccessDenied)
	_, _, err = a.FinishOAuth(t.Context(), from, core.IdentityGitHub, back)
	wantCode(t, "a code with the same state", err, core.CodeInvalidState)
}

func TestASpentAttemptIsRememberedForAsLongAsItCouldBeBroughtAgain(t *testing.T) {
	a := newAgora(t)
	a.github.AddPerson(ada())
	back := a.leave(core.IdentityGitHub, "1815")
	if _, _, err := a.FinishOAuth(t.Context(), from, core.IdentityGitHub, back); err != nil {
		t.Fatal(err)
	}
	a.now = a.now.Add(accounts.AttemptLifetime - time.Millisecond)
	if err := a.store.Tables().Tickets.Prune(context.Background(), core.At(a.now)); err != nil {
		t.Fatal(err)
	}
	_, _, err := a.FinishOAuth(t.Context(), from, core.IdentityGitHub, back)
	wantCode(t, "a replay", err, core.CodeInvalidState)
}

// maxCookieBytes is what browsers keep of a cookie's name and value (RFC 6265bis,
// section 5.6).
const maxCookieBytes = 4096

// longSealer makes sealed secrets as long as those of AES-256-GCM: a nonce of 12
// bytes, the secret, and a tag of 16.
type longSealer struct{ identity.Sealer }

func (s longSealer) Seal(secret []byte, _ string) ([]byte, error) {
	sealed := make([]byte, 12+len(secret)+16)
	_, err := rand.Read(sealed)
	return sealed, err
}

func TestAnAttemptFitsIntoACookieAndTellsNothing(t *testing.T) {
	a := newAgora(t)
	a.sealer = longSealer{a.sealer}
	a.Service = a.over(a.store)
	// Characters that JSON encoders escape.
	next := "/" + strings.Repeat("&", accounts.MaxNextBytes-1)
	departure, err := a.BeginOAuth(t.Context(), core.IdentityGitHub, next)
	if err != nil || len(departure.Sealed) > maxCookieBytes-64 || strings.Contains(departure.Address, "next") {
		t.Errorf("got %d bytes and %v, want at most %d", len(departure.Sealed), err, maxCookieBytes-64)
	}
	if strings.ContainsFunc(departure.Sealed, func(r rune) bool { return !strings.ContainsRune(cookieText, r) }) {
		t.Errorf("got %q, want text that a cookie holds as it is", departure.Sealed)
	}
	again, err := a.BeginOAuth(t.Context(), core.IdentityGitHub, next)
	if err != nil || again.Sealed == departure.Sealed || again.Address == departure.Address {
		t.Errorf("got %v and the same attempt again, want another", err)
	}
	_, err = a.BeginOAuth(t.Context(), core.IdentityGitHub, next+"&")
	wantCode(t, "a longer way", err, core.CodeValidationFailed)
}

const cookieText = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
