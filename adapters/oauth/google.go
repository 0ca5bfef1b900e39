package oauth

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/oauth"
)

// GoogleIssuerURL is the issuer of Google's identity tokens.
const GoogleIssuerURL = "https://accounts.google.com"

// Google signs people in by OpenID Connect, at Google or at another issuer.
type Google struct {
	relyingParty
	issuer string
	now    func() time.Time

	found    atomic.Pointer[discovery]
	fetching ctxsync.SingleFlight[struct{}, *discovery]
}

var _ oauth.Identifier = (*Google)(nil)

// NewGoogle returns the identifier. It does not use the network yet, so that an issuer
// that is down when the service starts can be used once it is up. The issuer is compared
// exactly: with and without a trailing slash are two.
func NewGoogle(client Client, issuer string, base *http.Transport, now func() time.Time) *Google {
	return &Google{relyingParty: newRelyingParty("Google", client, base), issuer: issuer, now: now}
}

// Provider implements oauth.Identifier.
func (g *Google) Provider() core.IdentityProvider { return core.IdentityGoogle }

// AuthorizeURL implements oauth.Identifier.
func (g *Google) AuthorizeURL(ctx context.Context, attempt oauth.Attempt) (string, error) {
	found, err := g.discover(ctx)
	if err != nil {
		return "", err
	}
	return g.configOf(found).AuthCodeURL(attempt.State, oauth2.S256ChallengeOption(attempt.Verifier), oidc.Nonce(attempt.Nonce)), nil
}

// Identify implements oauth.Identifier. Everything is in the identity token.
func (g *Google) Identify(ctx context.Context, attempt oauth.Attempt, code string) (oauth.Profile, error) {
	found, err := g.discover(ctx)
	if err != nil {
		return oauth.Profile{}, err
	}
	token, err := g.redeem(ctx, g.configOf(found), attempt, code)
	if err != nil {
		return oauth.Profile{}, err
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := g.verify(ctx, found, raw)
	if err != nil {
		return oauth.Profile{}, err
	}
	if verified.AccessTokenHash != "" && verified.VerifyAccessToken(token.AccessToken) != nil {
		return oauth.Profile{}, g.refused("its identity token was issued for another access token")
	}
	profile, err := profileOf(verified, expectation{client: g.client.ID, nonce: attempt.Nonce, now: g.now()})
	if err != nil {
		return oauth.Profile{}, g.refused("its identity token is invalid: %w", err)
	}
	return profile, nil
}

func (g *Google) configOf(found *discovery) *oauth2.Config {
	return g.oauthConfig(found.endpoint, oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile)
}
