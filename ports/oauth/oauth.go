// Package oauth is the port to providers that vouch for a person, or grant a
// token of theirs, by OAuth 2 with the authorization code and PKCE S256.
package oauth

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Attempt is one try of one browser. All three are secrets of core.NewSecret; the
// provider sees State, Nonce and a hash of Verifier.
type Attempt struct {
	State    string
	Verifier string
	Nonce    string
}

// Profile is what a provider says about a person.
type Profile struct {
	// Subject is the person's unchanging name at the provider, never empty.
	Subject string
	// Email is as the provider writes it; "" when it tells none. EmailVerified is
	// the provider's own word.
	Email         string
	EmailVerified bool
	// Name and AvatarURL may be "".
	Name      string
	AvatarURL string
}

// Identifier signs people in.
type Identifier interface {
	// Provider names who vouches.
	Provider() core.IdentityProvider
	// AuthorizeURL returns where the browser goes. A provider that cannot be
	// reached has code core.CodeUnavailable.
	AuthorizeURL(ctx context.Context, attempt Attempt) (string, error)
	// Identify redeems the code that the browser came back with. A code, a token or
	// a profile that is not what the protocol says (a wrong nonce, audience,
	// issuer, signature or time, no subject) has code core.CodeInvalidCredentials;
	// a provider that does not answer core.CodeUnavailable.
	Identify(ctx context.Context, attempt Attempt, code string) (Profile, error)
}

// Grant is a token that acts for a person at the provider.
type Grant struct {
	AccessToken string
	// RefreshToken is "" when the token cannot be refreshed.
	RefreshToken string
	// ExpiresAt is nil for a token that does not run out.
	ExpiresAt *core.Time
}

// Granter obtains tokens with which the service acts for a person.
type Granter interface {
	// AuthorizeURL is as Identifier's.
	AuthorizeURL(ctx context.Context, attempt Attempt) (string, error)
	// Redeem is as Identifier.Identify, with the same codes.
	Redeem(ctx context.Context, attempt Attempt, code string) (Grant, error)
	// Refresh returns a fresh grant for a refresh token; one that the provider
	// refuses has code core.CodeInvalidCredentials. A provider that gives no new
	// refresh token leaves the old one valid, and it is in the result.
	Refresh(ctx context.Context, refreshToken string) (Grant, error)
}

// Providers are those that the operator configured. A nil field is not
// configured.
type Providers struct {
	GitHub    Identifier
	Google    Identifier
	Assistant Granter
}
