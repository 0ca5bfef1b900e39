package credentials_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/credentials"
	"github.com/atelierhq/atelier/core"
)

// newPasswords hashes one at a time.
func newPasswords() *credentials.Passwords { return credentials.NewPasswords(1) }

func TestHashesArePHCStringsOfTheDocumentedCost(t *testing.T) {
	hash, err := newPasswords().Hash(t.Context(), "a password")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=7168,t=5,p=1$") {
		t.Errorf("got %q, %v, want a PHC string with m=7168,t=5,p=1", hash, err)
	}
}

func TestHashesOfAnotherCostStillMatch(t *testing.T) {
	// argon2id of "password" with the salt "somesalt", m=256, t=2, p=1, as the
	// reference implementation prints it.
	const hash = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	passwords := newPasswords()
	for password, want := range map[string]bool{"password": true, "Password": false} {
		if got, err := passwords.Verify(t.Context(), hash, password); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", password, got, err, want)
		}
	}
}

func TestBrokenHashesAreToldFromWrongPasswords(t *testing.T) {
	passwords := newPasswords()
	for _, hash := range []string{
		"x", "$argon2id$", "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
		"$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
		"$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
		"$argon2id$v=19$m=256,t=4000000000,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
		"$argon2id$v=19$m=256,t=2,p=0$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
		"$argon2id$v=19$m=256,t=2,p=1$$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
		"$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ",
		"$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4 trailing",
	} {
		if ok, err := passwords.Verify(t.Context(), hash, "password"); ok || !core.IsCode(err, core.CodeInternal) {
			t.Errorf("%q: got %v, %v, want code %s", hash, ok, err, core.CodeInternal)
		}
	}
}

func TestWaitingForATurnEndsWithTheContext(t *testing.T) {
	passwords := newPasswords()
	busy := credentials.Occupy(passwords)
	defer busy()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := passwords.Verify(ctx, "", "password")
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want %s because of %v", err, core.CodeUnavailable, context.Canceled)
	}
}

func FuzzVerifyHash(f *testing.F) {
	f.Add("$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4")
	f.Add("$argon2id$v=19$m=256,t=+2,p=1$c29tZXNhbHQ$c29tZXNhbHQ")
	f.Fuzz(func(t *testing.T, hash string) { credentials.CheckPHC(t, hash) })
}

func BenchmarkHash(b *testing.B) {
	passwords := newPasswords()
	for b.Loop() {
		if _, err := passwords.Hash(b.Context(), "a password"); err != nil {
			b.Fatal(err)
		}
	}
}
