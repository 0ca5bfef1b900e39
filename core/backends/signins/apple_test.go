package signins_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/signins"
)

func pemOf(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func newKey(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestAKeyOfApplesMakesSecrets: each sign-in has a token that Apple accepts, however old the key is.
func TestAKeyOfApplesMakesSecrets(t *testing.T) {
	h, key := newHouse(t), newKey(t, elliptic.P256())
	input := signins.Input{ClientID: "com.example.shop", AppleKey: &signins.AppleKey{TeamID: "TEAM123456", KeyID: "KEY1234567", PrivateKey: "\n" + strings.TrimSpace(pemOf(t, key))}}
	if _, err := h.Put(t.Context(), h.member, h.test, "apple", input); err != nil {
		t.Fatal(err)
	}
	input.AppleKey, input.DisplayName = nil, "Apple ID"
	if _, err := h.Put(t.Context(), h.member, h.test, "apple", input); err != nil {
		t.Errorf("got %v for another name, want the key kept", err)
	}
	h.now = h.now.AddDate(3, 0, 0)
	found, err := h.registry.SignIns(t.Context(), h.test)
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v, %v", found, err)
	}
	header, claims := verified(t, &key.PublicKey, found[0].ClientSecret)
	if header["alg"] != "ES256" || header["kid"] != "KEY1234567" {
		t.Errorf("got the header %v", header)
	}
	if claims["iss"] != "TEAM123456" || claims["sub"] != "com.example.shop" || claims["aud"] != "https://appleid.apple.com" {
		t.Errorf("got the claims %v", claims)
	}
	if issued, ends := claims["iat"].(float64), claims["exp"].(float64); int64(issued) != h.now.Unix() || ends-issued != 300 {
		t.Errorf("got %v, want five minutes from now", claims)
	}
}

// verified checks the signature of a token with ES256.
func verified(t *testing.T, key *ecdsa.PublicKey, token string) (header, claims map[string]any) {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("got %q, want a token", token)
	}
	for i, into := range []*map[string]any{&header, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(text, into) != nil {
			t.Fatalf("got %q, want a token", token)
		}
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || len(signature) != 64 || !ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Fatalf("got the signature %x, want the key's", signature)
	}
	return header, claims
}

func TestWrongKeysOfApplesAreRefused(t *testing.T) {
	h := newHouse(t)
	good := signins.AppleKey{TeamID: "TEAM123456", KeyID: "KEY1234567", PrivateKey: pemOf(t, newKey(t, elliptic.P256()))}
	weak, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	secret := `{"teamId": "a secret of another form"}`
	for want, inputs := range map[string][]signins.Input{
		"teamId":       {{AppleKey: &signins.AppleKey{KeyID: good.KeyID, PrivateKey: good.PrivateKey}}, {AppleKey: &signins.AppleKey{TeamID: "team123456", KeyID: good.KeyID, PrivateKey: good.PrivateKey}}},
		"keyId":        {{AppleKey: &signins.AppleKey{TeamID: good.TeamID, KeyID: "KEY1234567\n", PrivateKey: good.PrivateKey}}},
		"clientSecret": {{AppleKey: &good, ClientSecret: &secret}, {}},
	} {
		for _, input := range inputs {
			h.refuses("apple", input, want)
		}
	}
	for _, text := range []string{"", "nonsense", strings.Replace(good.PrivateKey, "\nM", "\n!", 1), good.PrivateKey + good.PrivateKey, good.PrivateKey + strings.Repeat("\n", 4000) + ".", pemOf(t, newKey(t, elliptic.P384())), pemOf(t, weak)} {
		h.refuses("apple", signins.Input{AppleKey: &signins.AppleKey{TeamID: good.TeamID, KeyID: good.KeyID, PrivateKey: text}}, "privateKey must be the whole content")
	}
	h.refuses("google", signins.Input{AppleKey: &good}, "appleKey is for")
	// A ready token is a secret like any other.
	if _, err := h.Put(t.Context(), h.member, h.test, "apple", signins.Input{ClientID: "shop", ClientSecret: &secret}); err != nil {
		t.Error(err)
	}
	if found, err := h.registry.SignIns(t.Context(), h.test); err != nil || len(found) != 1 || found[0].ClientSecret != secret {
		t.Errorf("got %v, %v, want the secret", found, err)
	}
}

// refuses checks that an input is refused with a message.
func (h *house) refuses(name string, input signins.Input, message string) {
	h.t.Helper()
	input.ClientID = "shop"
	_, err := h.Put(h.t.Context(), h.member, h.test, name, input)
	if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), message) || strings.Contains(err.Error(), "BEGIN PRIVATE KEY-----\n") {
		h.t.Errorf("got %v, want %q", err, message)
	}
}
