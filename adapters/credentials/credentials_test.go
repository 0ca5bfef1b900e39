package credentials_test

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/credentials"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/identity/identitytest"
)

func randomKey() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	return key
}

func TestTokens(t *testing.T) {
	identitytest.RunTokens(t, func(t *testing.T, now func() time.Time) identity.Tokens {
		return newTokens(t, randomKey(), "atelier", now)
	})
}

func TestPasswords(t *testing.T) {
	identitytest.RunPasswords(t, func(*testing.T) identity.Passwords { return newPasswords() })
}

func TestSealer(t *testing.T) {
	identitytest.RunSealer(t, func(t *testing.T) identity.Sealer {
		sealer, err := credentials.NewSealer(randomKey())
		if err != nil {
			t.Fatal(err)
		}
		return sealer
	})
}

func newTokens(t testing.TB, secret []byte, issuer string, now func() time.Time) *credentials.Tokens {
	t.Helper()
	tokens, err := credentials.NewTokens(secret, issuer, now)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func TestWeakKeysAreRefused(t *testing.T) {
	if _, err := credentials.NewTokens(make([]byte, 31), "atelier", time.Now); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("a secret of 31 bytes: got %v, want %s", err, core.CodeValidationFailed)
	}
	if _, err := credentials.NewTokens(make([]byte, 32), "", time.Now); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("no issuer: got %v, want %s", err, core.CodeValidationFailed)
	}
	for _, length := range []int{0, 16, 31, 33} {
		if _, err := credentials.NewSealer(make([]byte, length)); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("a key of %d bytes: got %v, want %s", length, err, core.CodeValidationFailed)
		}
	}
}

func TestTimeCodes(t *testing.T) { identitytest.RunTimeCodes(t, credentials.TimeCodes{}) }
