package credentials

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// MinSecretBytes is the shortest secret that tokens are signed with: the size of
// HS256's hash (RFC 7518, section 3.2).
const MinSecretBytes = 32

// MaxTokenBytes is the longest accepted token. Tokens from here have about 400 bytes.
const MaxTokenBytes = 8 << 10

// Tokens signs and checks session tokens: JWTs, HS256 only, of one issuer.
type Tokens struct {
	secret []byte
	issuer string
	now    func() time.Time
	parser *jwt.Parser
}

var _ identity.Tokens = (*Tokens)(nil)

// NewTokens returns tokens of this issuer. A secret shorter than MinSecretBytes, or an
// empty issuer, has code core.CodeValidationFailed.
func NewTokens(secret []byte, issuer string, now func() time.Time) (*Tokens, error) {
	if len(secret) < MinSecretBytes {
		return nil, core.Errorf(core.CodeValidationFailed, "the token secret must have at least %d bytes, not %d", MinSecretBytes, len(secret))
	}
	if issuer == "" {
		return nil, core.Errorf(core.CodeValidationFailed, "the token issuer is empty")
	}
	// This package checks the claims, because it is stricter about their types.
	parser := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
	return &Tokens{append([]byte{}, secret...), issuer, now, parser}, nil
}

// Sign implements identity.Tokens. Instants are truncated to the second.
func (t *Tokens) Sign(claims identity.Claims) (string, error) {
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, newPayload(t.issuer, claims)).SignedString(t.secret)
	if err != nil {
		return "", core.Wrap(core.CodeInternal, err, "the token cannot be signed")
	}
	return token, nil
}

// Verify implements identity.Tokens. Instants have no leeway. "nbf" is enforced if
// present. An "iat" in the future is accepted, because the clocks of two machines differ.
func (t *Tokens) Verify(token string, kind identity.TokenKind) (identity.Claims, error) {
	if len(token) > MaxTokenBytes || !isCompact(token) {
		return identity.Claims{}, refused(nil)
	}
	claims, err := t.parse(token)
	if err != nil {
		return identity.Claims{}, refused(err)
	}
	if claims.Issuer != t.issuer || claims.Kind != kind {
		return identity.Claims{}, refused(nil)
	}
	now := t.now()
	if claims.NotBefore != nil && now.Before(time.Unix(*claims.NotBefore, 0)) {
		return identity.Claims{}, refused(nil)
	}
	if !now.Before(time.Unix(claims.ExpiresAt, 0)) {
		return claims.claims(), core.Errorf(core.CodeTokenExpired, "the token has expired")
	}
	return claims.claims(), nil
}

// parse returns the claims of a token whose signature is valid.
func (t *Tokens) parse(token string) (claims payload, err error) {
	if rest, own := strings.CutPrefix(token, ownHeader+"."); own {
		return t.parseOwn(rest)
	}
	_, err = t.parser.ParseWithClaims(token, &claims, t.keyFor)
	return claims, err
}

// parseOwn is parse for a token after ownHeader. It takes half the time, which counts in
// every call of the API: the header is known, and a forged token is refused before its
// claims are parsed.
func (t *Tokens) parseOwn(rest string) (claims payload, err error) {
	body, mac, _ := strings.Cut(rest, ".")
	signature, err := strictly.DecodeString(mac)
	if err != nil {
		return payload{}, err
	}
	if err := jwt.SigningMethodHS256.Verify(ownHeader+"."+body, signature, t.secret); err != nil {
		return payload{}, err
	}
	text, err := strictly.DecodeString(body)
	if err != nil {
		return payload{}, err
	}
	err = claims.UnmarshalJSON(text)
	return claims, err
}

// strictly decodes a part of a token, in its only valid spelling.
var strictly = base64.RawURLEncoding.Strict()

// keyFor refuses headers that the signature library accepts. "kid", "jku" and "jwk" are
// ignored, because there is only one key.
func (t *Tokens) keyFor(token *jwt.Token) (any, error) {
	if err := checkHeader(token.Raw); err != nil {
		return nil, err
	}
	return t.secret, nil
}

// isCompact reports whether token holds only characters of three base64url texts. The
// decoder would skip line breaks.
func isCompact(token string) bool {
	for i := range len(token) {
		c := token[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func refused(cause error) error {
	return core.Wrap(core.CodeUnauthenticated, cause, "the token is not valid")
}
