package oauth

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/oauth"
)

// openID is a client of one OpenID issuer.
type openID struct {
	relyingParty
	issuer string
	// algorithms are the signatures of tokens that are accepted.
	algorithms []string
	// scopes are asked for beside openid, email and profile.
	scopes []string
	now    func() time.Time

	found    atomic.Pointer[discovery]
	fetching ctxsync.SingleFlight[struct{}, *discovery]
}

func (g *openID) authorizeURL(ctx context.Context, attempt oauth.Attempt) (string, error) {
	found, err := g.discover(ctx)
	if err != nil {
		return "", err
	}
	return g.configOf(found).AuthCodeURL(attempt.State, oauth2.S256ChallengeOption(attempt.Verifier), oidc.Nonce(attempt.Nonce)), nil
}

// proof is the answer to a code, checked.
type proof struct {
	claims claims
	// idToken is what the claims were in.
	idToken string
	token   *oauth2.Token
	found   *discovery
}

// prove redeems a code.
func (g *openID) prove(ctx context.Context, attempt oauth.Attempt, code string) (proof, error) {
	found, err := g.discover(ctx)
	if err != nil {
		return proof{}, err
	}
	token, err := g.redeem(ctx, g.configOf(found), attempt, code)
	if err != nil {
		return proof{}, err
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := g.verify(ctx, found, raw)
	if err != nil {
		return proof{}, err
	}
	if verified.AccessTokenHash != "" && verified.VerifyAccessToken(token.AccessToken) != nil {
		return proof{}, g.refused("its identity token was issued for another access token")
	}
	set, err := claimsOf(verified, expectation{client: g.client.ID, nonce: attempt.Nonce, now: g.now()})
	if err != nil {
		return proof{}, g.refused("its identity token is invalid: %w", err)
	}
	return proof{set, raw, token, found}, nil
}

func (g *openID) configOf(found *discovery) *oauth2.Config {
	return g.oauthConfig(found.endpoint, append([]string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile}, g.scopes...)...)
}
