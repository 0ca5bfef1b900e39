package oauth

import (
	"context"
	"net/http"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

// GoogleIssuerURL is the issuer of Google's identity tokens.
const GoogleIssuerURL = "https://accounts.google.com"

// Google signs people in by OpenID Connect, at Google or at another issuer.
type Google struct{ openID }

var _ oauth.Identifier = (*Google)(nil)

// NewGoogle returns the identifier. It does not use the network yet, so that an issuer
// that is down when the service starts can be used once it is up. The issuer is compared
// exactly: with and without a trailing slash are two.
func NewGoogle(client Client, issuer string, base *http.Transport, now func() time.Time) *Google {
	// Every issuer supports RS256.
	return &Google{openID{relyingParty: newRelyingParty("Google", client, base), issuer: issuer, algorithms: []string{oidc.RS256}, now: now}}
}

// Provider implements oauth.Identifier.
func (g *Google) Provider() core.IdentityProvider { return core.IdentityGoogle }

// AuthorizeURL implements oauth.Identifier.
func (g *Google) AuthorizeURL(ctx context.Context, attempt oauth.Attempt) (string, error) {
	return g.authorizeURL(ctx, attempt)
}

// Identify implements oauth.Identifier. Everything is in the identity token.
func (g *Google) Identify(ctx context.Context, attempt oauth.Attempt, code string) (oauth.Profile, error) {
	proof, err := g.prove(ctx, attempt, code)
	if err != nil {
		return oauth.Profile{}, err
	}
	profile, err := proof.claims.profile()
	if err != nil {
		return oauth.Profile{}, g.refused("its identity token is invalid: %w", err)
	}
	return profile, nil
}
