package oauthtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"sync"

	"github.com/atelierhq/atelier/ports/oauth"
)

// Key is a key with which an issuer signs.
type Key struct {
	ID      string
	Private *rsa.PrivateKey
}

// keys are made once: each takes a tenth of a second.
var keys = sync.OnceValue(func() (keys [3]*Key) {
	for i := range keys {
		private, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		keys[i] = &Key{fmt.Sprintf("key-%d", i), private}
	}
	return keys
})

// KeyNumber returns one of three keys. A Server begins with number 0.
func KeyNumber(i int) *Key { return keys()[i] }

// Sign returns a token with the claims, signed with RS256.
func (k *Key) Sign(claims map[string]any) string {
	return Token(map[string]any{"alg": "RS256", "typ": "JWT", "kid": k.ID}, claims, k.Signature)
}

// Signature is RS256's.
func (k *Key) Signature(input []byte) []byte {
	sum := sha256.Sum256(input)
	signature, err := rsa.SignPKCS1v15(rand.Reader, k.Private, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return signature
}

// JWK is the public half as an issuer publishes it.
func (k *Key) JWK() map[string]any {
	return map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": k.ID,
		"n": base64.RawURLEncoding.EncodeToString(k.Private.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(k.Private.E)).Bytes()),
	}
}

// PublicPEM is the public half as a file, which a confused verifier uses as the
// secret of HS256.
func (k *Key) PublicPEM() []byte {
	der, err := x509.MarshalPKIXPublicKey(&k.Private.PublicKey)
	if err != nil {
		panic(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// Token returns a JWT of any header and claims.
func Token(header, claims map[string]any, sign func(input []byte) []byte) string {
	input := segment(header) + "." + segment(claims)
	return input + "." + base64.RawURLEncoding.EncodeToString(sign([]byte(input)))
}

func segment(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// gitHubUser is GET /user. The address in it is what the person chose to show, and
// nobody has verified it.
func gitHubUser(person oauth.Profile) any {
	user := map[string]any{
		"id": json.Number(person.Subject), "login": "octocat", "name": nil, "type": "User",
		"email": "claimed@example.com", "avatar_url": person.AvatarURL,
	}
	if person.Name != "" {
		user["name"] = person.Name
	}
	return user
}

// gitHubEmails is GET /user/emails.
func gitHubEmails(person oauth.Profile) any {
	emails := []any{map[string]any{"email": "second@example.com", "primary": false, "verified": true, "visibility": nil}}
	if person.Email != "" {
		emails = append(emails, map[string]any{
			"email": person.Email, "primary": true, "verified": person.EmailVerified, "visibility": "private",
		})
	}
	return emails
}
