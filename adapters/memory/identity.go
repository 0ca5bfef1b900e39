package memory

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// Tokens signs session tokens with a key that lives as long as the value, so a restart
// signs everybody out.
type Tokens struct {
	key []byte
	now func() time.Time
}

var _ identity.Tokens = (*Tokens)(nil)

// NewTokens returns tokens with a fresh key.
func NewTokens(now func() time.Time) *Tokens { return &Tokens{identityKey(), now} }

// Sign implements identity.Tokens.
func (t *Tokens) Sign(claims identity.Claims) (string, error) {
	body, err := json.Marshal(claims)
	if err != nil {
		return "", core.Wrap(core.CodeInternal, err, "claims cannot be written")
	}
	text := base64.RawURLEncoding.EncodeToString(body)
	return text + "." + t.seal(text), nil
}

// Verify implements identity.Tokens.
func (t *Tokens) Verify(token string, kind identity.TokenKind) (identity.Claims, error) {
	text, seal, _ := strings.Cut(token, ".")
	if !hmac.Equal([]byte(seal), []byte(t.seal(text))) {
		return identity.Claims{}, core.Errorf(core.CodeUnauthenticated, "the token is not valid")
	}
	body, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return identity.Claims{}, core.Wrap(core.CodeUnauthenticated, err, "the token is not valid")
	}
	var claims identity.Claims
	if err := json.Unmarshal(body, &claims); err != nil || claims.Kind != kind {
		return identity.Claims{}, core.Wrap(core.CodeUnauthenticated, err, "the token is not valid")
	}
	if core.At(t.now()) >= claims.ExpiresAt {
		return claims, core.Errorf(core.CodeTokenExpired, "the token has expired")
	}
	return claims, nil
}

func (t *Tokens) seal(text string) string {
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// Passwords hashes with one round of SHA-256: fast, and so no protection for stolen
// hashes.
type Passwords struct{}

var _ identity.Passwords = (*Passwords)(nil)

// NewPasswords returns quick passwords.
func NewPasswords() *Passwords { return &Passwords{} }

// Hash implements identity.Passwords.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", core.Wrap(core.CodeUnavailable, err, "the password was not hashed in time")
	}
	salt := hex.EncodeToString(identityKey()[:8])
	return salt + "$" + passwordDigest(salt, password), nil
}

// Verify implements identity.Passwords.
func (p *Passwords) Verify(ctx context.Context, hash, password string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, core.Wrap(core.CodeUnavailable, err, "the password was not checked in time")
	}
	salt, want, _ := strings.Cut(hash, "$")
	return subtle.ConstantTimeCompare([]byte(want), []byte(passwordDigest(salt, password))) == 1, nil
}

func passwordDigest(salt, password string) string {
	sum := sha256.Sum256([]byte(salt + "$" + password))
	return hex.EncodeToString(sum[:])
}

// Sealer keeps the secrets in memory and returns tickets for them.
type Sealer struct {
	key   []byte
	mu    sync.Mutex
	vault map[string]sealedSecret
}

type sealedSecret struct {
	secret []byte
	place  string
}

var _ identity.Sealer = (*Sealer)(nil)

// NewSealer returns an empty sealer with a fresh key.
func NewSealer() *Sealer { return &Sealer{key: identityKey(), vault: map[string]sealedSecret{}} }

// Seal implements identity.Sealer.
func (s *Sealer) Seal(secret []byte, place string) ([]byte, error) {
	ticket := identityKey()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vault[string(ticket)] = sealedSecret{append([]byte{}, secret...), place}
	return ticket, nil
}

// Open implements identity.Sealer.
func (s *Sealer) Open(sealed []byte, place string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, known := s.vault[string(sealed)]
	if !known || kept.place != place {
		return nil, core.Errorf(core.CodeInternal, "a sealed secret cannot be opened")
	}
	return append([]byte{}, kept.secret...), nil
}

// Token implements identity.Sealer.
func (s *Sealer) Token(parts ...string) string {
	mac := hmac.New(sha256.New, s.key)
	for _, part := range parts {
		sum := sha256.Sum256([]byte(part))
		mac.Write(sum[:])
	}
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil))[:26])
}

func identityKey() []byte {
	key := make([]byte, 32)
	// crypto/rand.Read never fails: the runtime aborts instead.
	_, _ = rand.Read(key)
	return key
}
