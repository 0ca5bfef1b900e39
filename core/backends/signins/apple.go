package signins

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"regexp"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// apple is the kind of provider whose client secret is a token that ends.
const apple = "apple"

// appleTime is how long a token for Apple is valid. One is made for each request.
const appleTime = 5 * time.Minute

// maxAppleKeyBytes bounds a private key as Apple hands it out, which has about 260 bytes.
const maxAppleKeyBytes = 2 << 10

// AppleKey is a key of an Apple developer account for Sign in with Apple. With it there is always a
// valid client secret, which Apple accepts for at most six months.
type AppleKey struct {
	TeamID string `json:"teamId"`
	KeyID  string `json:"keyId"`
	// PrivateKey is the content of the .p8 file.
	PrivateKey string `json:"privateKey"`
}

var appleID = regexp.MustCompile(`^[A-Z0-9]{10}$`)

// check returns core.CodeValidationFailed with the member that breaks a rule. It quotes none.
func (k AppleKey) check() error {
	for _, id := range []struct{ name, text string }{{"teamId", k.TeamID}, {"keyId", k.KeyID}} {
		if !appleID.MatchString(id.text) {
			return core.Errorf(core.CodeValidationFailed, "%s must be the 10 capital letters and digits of Apple's developer pages", id.name)
		}
	}
	_, err := k.parse()
	return err
}

// parse returns the private key, of the one kind that Apple hands out.
func (k AppleKey) parse() (*ecdsa.PrivateKey, error) {
	refused := core.Errorf(core.CodeValidationFailed, "privateKey must be the whole content of the .p8 file, which begins with -----BEGIN PRIVATE KEY-----")
	if len(k.PrivateKey) > maxAppleKeyBytes {
		return nil, refused
	}
	block, rest := pem.Decode([]byte(strings.TrimSpace(k.PrivateKey) + "\n"))
	if block == nil || block.Type != "PRIVATE KEY" || len(rest) > 0 {
		return nil, refused
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, isEC := parsed.(*ecdsa.PrivateKey)
	if err != nil || !isEC || key.Curve != elliptic.P256() {
		return nil, refused
	}
	return key, nil
}

// clientSecret returns a client secret, which is a JSON Web Token with ES256 (RFC 7515, RFC 7518).
func (k AppleKey) clientSecret(clientID string, now time.Time) (string, error) {
	key, err := k.parse()
	if err != nil {
		return "", err
	}
	header, err := json.Marshal(map[string]string{"alg": "ES256", "kid": k.KeyID})
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{
		"iss": k.TeamID, "sub": clientID, "aud": "https://appleid.apple.com", "iat": now.Unix(), "exp": now.Add(appleTime).Unix(),
	})
	if err != nil {
		return "", err
	}
	signed := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return "", err
	}
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// secretText is a secret as it is sealed: the secret itself, or a key as JSON.
func (i Input) secretText() (string, error) {
	if i.AppleKey == nil {
		return *i.ClientSecret, nil
	}
	text, err := json.Marshal(i.AppleKey)
	return string(text), err
}

// secretOf returns the client secret that a provider is shown. Only Apple's may be a key.
func secretOf(p core.SignInProvider, text string, now time.Time) (string, error) {
	var key AppleKey
	if p.Name != apple || json.Unmarshal([]byte(text), &key) != nil || key.check() != nil {
		return text, nil
	}
	return key.clientSecret(p.ClientID, now)
}
