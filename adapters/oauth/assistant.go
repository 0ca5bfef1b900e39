package oauth

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

// GitHubModelsURL is the base URL of GitHub's models, which implement OpenAI's interface.
const GitHubModelsURL = "https://models.github.ai/inference"

// Assistant obtains tokens with which the service calls GitHub's models for a person.
type Assistant struct {
	relyingParty
	config *oauth2.Config
	now    func() time.Time
}

var _ oauth.Granter = (*Assistant)(nil)

// NewAssistant returns the granter. It requests no scope: a token of an OAuth App may
// call the models without one, and a GitHub App gets its permissions ("models: read")
// from its registration.
func NewAssistant(client Client, urls GitHubURLs, base *http.Transport, now func() time.Time) *Assistant {
	p := newRelyingParty("GitHub", client, base)
	return &Assistant{p, p.oauthConfig(urls.endpoint()), now}
}

// AuthorizeURL implements oauth.Granter. It needs no network and never fails.
func (a *Assistant) AuthorizeURL(_ context.Context, attempt oauth.Attempt) (string, error) {
	return a.config.AuthCodeURL(attempt.State, oauth2.S256ChallengeOption(attempt.Verifier)), nil
}

// Redeem implements oauth.Granter.
func (a *Assistant) Redeem(ctx context.Context, attempt oauth.Attempt, code string) (oauth.Grant, error) {
	token, err := a.redeem(ctx, a.config, attempt, code)
	if err != nil {
		return oauth.Grant{}, err
	}
	return a.grant(token), nil
}

// Refresh implements oauth.Granter.
func (a *Assistant) Refresh(ctx context.Context, refreshToken string) (oauth.Grant, error) {
	token, err := a.refresh(ctx, a.config, refreshToken)
	if err != nil {
		return oauth.Grant{}, err
	}
	return a.grant(token), nil
}

func (a *Assistant) grant(token *oauth2.Token) oauth.Grant {
	grant := oauth.Grant{AccessToken: token.AccessToken, RefreshToken: token.RefreshToken}
	if token.ExpiresIn != 0 {
		expiresAt := core.At(a.now()).Add(time.Duration(token.ExpiresIn) * time.Second)
		grant.ExpiresAt = &expiresAt
	}
	return grant
}
