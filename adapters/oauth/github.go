package oauth

import (
	"context"
	"net/http"
	"strings"

	"golang.org/x/oauth2"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

// The addresses of github.com.
const (
	GitHubAuthURL  = "https://github.com/login/oauth/authorize"
	GitHubTokenURL = "https://github.com/login/oauth/access_token"
	GitHubAPIURL   = "https://api.github.com"
)

// GitHubURLs are the addresses of a GitHub: the public one, or an Enterprise Server.
type GitHubURLs struct {
	Auth, Token, API string
}

func (u GitHubURLs) endpoint() oauth2.Endpoint {
	return oauth2.Endpoint{AuthURL: u.Auth, TokenURL: u.Token, AuthStyle: oauth2.AuthStyleInParams}
}

// GitHub signs people in with their GitHub accounts.
type GitHub struct {
	relyingParty
	config *oauth2.Config
	api    string
}

var _ oauth.Identifier = (*GitHub)(nil)

// NewGitHub returns the identifier. It does not use the network yet.
func NewGitHub(client Client, urls GitHubURLs, base *http.Transport) *GitHub {
	p := newRelyingParty("GitHub", client, base)
	return &GitHub{p, p.oauthConfig(urls.endpoint(), "read:user", "user:email"), strings.TrimSuffix(urls.API, "/")}
}

// Provider implements oauth.Identifier.
func (g *GitHub) Provider() core.IdentityProvider { return core.IdentityGitHub }

// AuthorizeURL implements oauth.Identifier. It needs no network and never fails. GitHub
// does not support a nonce: PKCE alone binds a code to its attempt.
func (g *GitHub) AuthorizeURL(_ context.Context, attempt oauth.Attempt) (string, error) {
	return g.config.AuthCodeURL(attempt.State, oauth2.S256ChallengeOption(attempt.Verifier)), nil
}

// Identify implements oauth.Identifier.
func (g *GitHub) Identify(ctx context.Context, attempt oauth.Attempt, code string) (oauth.Profile, error) {
	token, err := g.redeem(ctx, g.config, attempt, code)
	if err != nil {
		return oauth.Profile{}, err
	}
	profile, err := g.user(ctx, token.AccessToken)
	if err != nil {
		return oauth.Profile{}, err
	}
	profile.Email, profile.EmailVerified, err = g.address(ctx, token.AccessToken)
	if err != nil {
		return oauth.Profile{}, err
	}
	return profile, nil
}
