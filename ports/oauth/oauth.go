// Package oauth is the port to providers that vouch for a person, or grant a
// token of theirs, by OAuth 2 with the authorization code and PKCE S256.
package oauth

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Attempt is one attempt of one browser. All three are secrets of core.NewSecret;
// the provider sees State, Nonce and a hash of Verifier.
type Attempt struct {
	State    string
	Verifier string
	Nonce    string
}

// Profile is a provider's information about a person.
type Profile struct {
	// Subject is the person's unchanging id at the provider, never empty.
	Subject string
	// Email is in the provider's spelling; "" if it tells none. EmailVerified is
	// the provider's own statement.
	Email         string
	EmailVerified bool
	// Name and AvatarURL may be "".
	Name      string
	AvatarURL string
}

// Identifier signs people in.
type Identifier interface {
	// Provider returns the provider's name.
	Provider() core.IdentityProvider
	// AuthorizeURL returns the address to which the browser goes. It returns
	// core.CodeUnavailable if the provider cannot be reached.
	AuthorizeURL(ctx context.Context, attempt Attempt) (string, error)
	// Identify redeems the code with which the browser returned. It returns
	// core.CodeInvalidCredentials if a code, a token or a profile violates the
	// protocol (a wrong nonce, audience, issuer, signature or time, no subject),
	// and core.CodeUnavailable if the provider does not answer.
	Identify(ctx context.Context, attempt Attempt, code string) (Profile, error)
}

// Grant is a token that acts for a person at the provider.
type Grant struct {
	AccessToken string
	// RefreshToken is "" if the token cannot be refreshed.
	RefreshToken string
	// ExpiresAt is nil for a token that does not expire.
	ExpiresAt *core.Time
}

// Granter obtains tokens with which the service acts for a person.
type Granter interface {
	// AuthorizeURL is like Identifier.AuthorizeURL.
	AuthorizeURL(ctx context.Context, attempt Attempt) (string, error)
	// Redeem is like Identifier.Identify, with the same codes.
	Redeem(ctx context.Context, attempt Attempt, code string) (Grant, error)
	// Refresh returns a fresh grant for a refresh token. It returns
	// core.CodeInvalidCredentials if the provider refuses the token. If the
	// provider returns no new refresh token, the old one stays valid and is in the
	// result.
	Refresh(ctx context.Context, refreshToken string) (Grant, error)
}

// Providers are the configured providers. A nil field is not configured.
type Providers struct {
	GitHub    Identifier
	Google    Identifier
	Assistant Granter
}
