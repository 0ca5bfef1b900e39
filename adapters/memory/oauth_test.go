package memory_test

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/oauth/oauthtest"
)

const oauthCallback = "https://atelier.example.com/auth/google/callback"

func TestIdentifier(t *testing.T) {
	oauthtest.RunIdentifier(t, func(*testing.T) (oauth.Identifier, oauthtest.Provider) {
		provider := memory.NewOAuth(core.IdentityGoogle, oauthCallback, time.Now)
		return provider, provider
	})
}

func TestGranter(t *testing.T) {
	oauthtest.RunGranter(t, func(_ *testing.T, now func() time.Time) (oauth.Granter, oauthtest.Granter) {
		provider := memory.NewOAuth(core.IdentityGitHub, oauthCallback, now)
		return provider, provider
	})
}

func TestAnotherNonceIsRefused(t *testing.T) {
	provider := memory.NewOAuth(core.IdentityGoogle, oauthCallback, time.Now)
	provider.AddPerson(oauth.Profile{Subject: "1"})
	attempt := oauthtest.Attempt()
	code := oauthtest.Code(t, provider, provider, attempt, "1")
	attempt.Nonce = core.NewSecret()
	_, err := provider.Identify(t.Context(), attempt, code)
	oauthtest.WantError(t, err, core.CodeInvalidCredentials, code, attempt.Nonce)
}

func TestAPageOfAnotherProviderApprovesNothing(t *testing.T) {
	github := memory.NewOAuth(core.IdentityGitHub, oauthCallback, time.Now)
	google := memory.NewOAuth(core.IdentityGoogle, oauthCallback, time.Now)
	google.AddPerson(oauth.Profile{Subject: "1"})
	address, err := github.AuthorizeURL(t.Context(), oauthtest.Attempt())
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{address, "", "https://google.invalid@evil.example/authorize", "://"} {
		if back, err := google.Approve(page, "1"); !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("%q: got %q, %v, want code %s", page, back, err, core.CodeInvalidRequest)
		}
	}
	own, err := google.AuthorizeURL(t.Context(), oauthtest.Attempt())
	if err != nil {
		t.Fatal(err)
	}
	if back, err := google.Approve(own, "2"); !core.IsCode(err, core.CodeInvalidRequest) {
		t.Errorf("an unknown person: got %q, %v, want code %s", back, err, core.CodeInvalidRequest)
	}
}

func TestATokenThatRanOutActsForNobody(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	provider := memory.NewOAuth(core.IdentityGitHub, oauthCallback, func() time.Time { return now })
	provider.AddPerson(oauth.Profile{Subject: "1"})
	provider.SetTokens(time.Hour, true)
	attempt := oauthtest.Attempt()
	grant, err := provider.Redeem(t.Context(), attempt, oauthtest.Code(t, provider, provider, attempt, "1"))
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour - time.Millisecond)
	if got := provider.Holder(grant.AccessToken); got != "1" {
		t.Errorf("a millisecond early: got %q, want %q", got, "1")
	}
	now = now.Add(time.Millisecond)
	if got := provider.Holder(grant.AccessToken); got != "" {
		t.Errorf("at its end: got %q, want nobody", got)
	}
}
