package oauthtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

// epoch is when the clock of a subtest begins, in whole seconds as vendors tell
// lifetimes.
var epoch = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// RunGranter tests an implementation of oauth.Granter against its port. Each call of
// fresh returns one beside its provider; now is the clock of both.
func RunGranter(t *testing.T, fresh func(t *testing.T, now func() time.Time) (oauth.Granter, Granter)) {
	clause := func(name string, do func(*testing.T, oauth.Granter, Granter)) {
		t.Run(name, func(t *testing.T) {
			granter, provider := fresh(t, func() time.Time { return epoch })
			provider.AddPerson(person())
			do(t, granter, provider)
		})
	}
	clause("a granted token acts for who agreed", grantHolder)
	clause("a token that does not run out says so", grantForever)
	clause("a token that runs out tells when, and can be refreshed", grantRefreshed)
	clause("a refresh token that the provider keeps stays in the result", grantKeptRefresh)
	clause("a refresh token that was replaced is refused", grantRotated)
	clause("a refresh token that nobody gave is refused", grantUnknownRefresh)
	clause("a code works once", grantCodeOnce)
	clause("a stolen code is worth nothing in another attempt", grantStolenCode)
	clause("a provider that is down is unavailable, and found again later", grantDown)
	clause("an ended context ends the call", grantContext)
}

func redeemGrant(t *testing.T, granter oauth.Granter, provider Granter) oauth.Grant {
	t.Helper()
	attempt := Attempt()
	code := Code(t, granter, provider, attempt, person().Subject)
	grant, err := granter.Redeem(t.Context(), attempt, code)
	if err != nil {
		t.Fatalf("Redeem: %v", err)
	}
	wantGrantHolder(t, provider, grant)
	return grant
}

func wantGrantHolder(t *testing.T, provider Granter, grant oauth.Grant) {
	t.Helper()
	if got := provider.Holder(grant.AccessToken); got != person().Subject {
		t.Errorf("got the token of %q, want of %q", got, person().Subject)
	}
}

func wantGrantRefreshed(t *testing.T, granter oauth.Granter, provider Granter, grant oauth.Grant) oauth.Grant {
	t.Helper()
	fresh, err := granter.Refresh(t.Context(), grant.RefreshToken)
	if err != nil {
		t.Fatalf("Refresh: %v", err)
	}
	wantGrantHolder(t, provider, fresh)
	if fresh.AccessToken == grant.AccessToken || fresh.RefreshToken == "" || fresh.ExpiresAt == nil {
		t.Errorf("got %+v after %+v, want another token that runs out and can be refreshed", fresh, grant)
	}
	return fresh
}

func grantHolder(t *testing.T, granter oauth.Granter, provider Granter) {
	first, second := redeemGrant(t, granter, provider), redeemGrant(t, granter, provider)
	if first.AccessToken == "" || first.AccessToken == second.AccessToken {
		t.Errorf("got the tokens %q and %q, want two", first.AccessToken, second.AccessToken)
	}
}

func grantForever(t *testing.T, granter oauth.Granter, provider Granter) {
	provider.SetTokens(0, false)
	if grant := redeemGrant(t, granter, provider); grant.ExpiresAt != nil || grant.RefreshToken != "" {
		t.Errorf("got %+v, want a token without end and without a refresh token", grant)
	}
}

func grantRefreshed(t *testing.T, granter oauth.Granter, provider Granter) {
	provider.SetTokens(8*time.Hour, true)
	grant := redeemGrant(t, granter, provider)
	want := core.At(epoch.Add(8 * time.Hour))
	if grant.ExpiresAt == nil || *grant.ExpiresAt != want || grant.RefreshToken == "" {
		t.Fatalf("got %+v, want one until %s with a refresh token", grant, want)
	}
	fresh := wantGrantRefreshed(t, granter, provider, grant)
	if *fresh.ExpiresAt != want {
		t.Errorf("got a token until %s, want %s", fresh.ExpiresAt, want)
	}
	wantGrantRefreshed(t, granter, provider, fresh)
}

func grantKeptRefresh(t *testing.T, granter oauth.Granter, provider Granter) {
	provider.SetTokens(time.Hour, false)
	grant := redeemGrant(t, granter, provider)
	for range 2 {
		if fresh := wantGrantRefreshed(t, granter, provider, grant); fresh.RefreshToken != grant.RefreshToken {
			t.Errorf("got the refresh token %q, want the old one %q", fresh.RefreshToken, grant.RefreshToken)
		}
	}
}

func grantRotated(t *testing.T, granter oauth.Granter, provider Granter) {
	provider.SetTokens(time.Hour, true)
	grant := redeemGrant(t, granter, provider)
	if fresh := wantGrantRefreshed(t, granter, provider, grant); fresh.RefreshToken == grant.RefreshToken {
		t.Errorf("got the refresh token %q again, want another", fresh.RefreshToken)
	}
	_, err := granter.Refresh(t.Context(), grant.RefreshToken)
	WantError(t, err, core.CodeInvalidCredentials, grant.RefreshToken, grant.AccessToken)
}

func grantUnknownRefresh(t *testing.T, granter oauth.Granter, provider Granter) {
	provider.SetTokens(time.Hour, true)
	grant := redeemGrant(t, granter, provider)
	for _, token := range []string{"", core.NewSecret(), grant.AccessToken, grant.RefreshToken + "x", strings.Repeat("x", 1<<16)} {
		_, err := granter.Refresh(t.Context(), token)
		WantError(t, err, core.CodeInvalidCredentials, token)
	}
}

func grantCodeOnce(t *testing.T, granter oauth.Granter, provider Granter) {
	attempt := Attempt()
	code := Code(t, granter, provider, attempt, person().Subject)
	if _, err := granter.Redeem(t.Context(), attempt, code); err != nil {
		t.Fatal(err)
	}
	_, err := granter.Redeem(t.Context(), attempt, code)
	WantError(t, err, core.CodeInvalidCredentials, secrets(attempt, code)...)
}

func grantStolenCode(t *testing.T, granter oauth.Granter, provider Granter) {
	victim, thief := Attempt(), Attempt()
	code := Code(t, granter, provider, victim, person().Subject)
	grant, err := granter.Redeem(t.Context(), thief, code)
	WantError(t, err, core.CodeInvalidCredentials, append(secrets(victim, code), thief.Verifier)...)
	if grant != (oauth.Grant{}) {
		t.Errorf("got the grant %+v, want none", grant)
	}
}

func grantDown(t *testing.T, granter oauth.Granter, provider Granter) {
	provider.SetTokens(time.Hour, true)
	grant := redeemGrant(t, granter, provider)
	provider.SetDown(true)
	attempt := Attempt()
	_, err := granter.Redeem(t.Context(), attempt, core.NewSecret())
	WantError(t, err, core.CodeUnavailable, secrets(attempt)...)
	_, err = granter.Refresh(t.Context(), grant.RefreshToken)
	WantError(t, err, core.CodeUnavailable, grant.RefreshToken)
	provider.SetDown(false)
	wantGrantRefreshed(t, granter, provider, grant)
}

func grantContext(t *testing.T, granter oauth.Granter, provider Granter) {
	provider.SetTokens(time.Hour, true)
	grant := redeemGrant(t, granter, provider)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := granter.Refresh(ctx, grant.RefreshToken)
	WantError(t, err, core.CodeUnavailable, grant.RefreshToken)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to be %v", err, context.Canceled)
	}
}
