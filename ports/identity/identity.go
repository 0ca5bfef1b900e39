// Package identity is the port to tokens, passwords and sealed secrets.
package identity

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// TokenKind distinguishes the tokens of a session.
type TokenKind string

// The kinds of tokens; the claim "typ".
const (
	TokenAccess  TokenKind = "access"
	TokenRefresh TokenKind = "refresh"
)

// Claims are the claims of a session token.
type Claims struct {
	ID      core.ID
	Subject core.ID
	// Session is the session that the token belongs to, "" for a token without one.
	Session   core.ID
	Kind      TokenKind
	Version   int
	IssuedAt  core.Time
	ExpiresAt core.Time
}

// Tokens signs and checks session tokens.
type Tokens interface {
	// Sign returns the token for the claims.
	Sign(claims Claims) (string, error)
	// Verify returns the claims of a token of this kind. An expired token has code
	// core.CodeTokenExpired; its claims are returned too, because they say who is calling
	// in vain. Any other flaw (algorithm, issuer, kind, signature, a critical header, a
	// claim that is missing or has another type) has core.CodeUnauthenticated and no
	// claims.
	Verify(token string, kind TokenKind) (Claims, error)
}

// Passwords hashes passwords. Both calls are slow by intent, and a semaphore bounds
// their parallelism: they wait for a place, or until ctx ends.
type Passwords interface {
	Hash(ctx context.Context, password string) (string, error)
	// Verify reports whether password made hash. An empty hash matches nothing
	// and takes as long as any other.
	Verify(ctx context.Context, hash, password string) (bool, error)
}

// TimeCodes makes secrets for apps of time-based one-time passwords (TOTP, RFC 6238), and checks
// their codes: SHA-1, six digits, steps of 30 seconds, which is what all apps know.
type TimeCodes interface {
	// New returns a random secret of 160 bits in base32 without padding, and the otpauth
	// address with which an app reads it from a QR code. issuer and account are what the app
	// shows.
	New(issuer, account string) (secret, uri string, err error)
	// Step returns the step of time whose code of a secret this is: the one of at, of the step
	// before or of the one after, but none up to last. It returns false if it is the code of
	// no such step. A secret that New did not make has code core.CodeInternal.
	Step(secret, code string, at core.Time, last int64) (step int64, ok bool, err error)
}

// Sealer encrypts secrets at rest, each bound to the place where it is stored.
type Sealer interface {
	// Seal encrypts secret; sealing twice gives different results.
	Seal(secret []byte, place string) ([]byte, error)
	// Open returns the secret. Another key, another place or a changed byte has
	// code core.CodeInternal.
	Open(sealed []byte, place string) ([]byte, error)
	// Token derives an unguessable text of 26 characters [a-z2-7] from the parts.
	// Equal parts give equal texts; nobody without the key can make one.
	Token(parts ...string) string
}
