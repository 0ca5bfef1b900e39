// Package identitytest tests identity.Tokens, identity.Passwords and an identity.Sealer against their port.
package identitytest

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// RunTokens tests an implementation of identity.Tokens against its port. Each call
// of fresh returns tokens with another secret.
func RunTokens(t *testing.T, fresh func(t *testing.T, now func() time.Time) identity.Tokens) {
	t.Run("a signed token gives its claims back", func(t *testing.T) { tokenRoundTrip(t, fresh) })
	t.Run("a token is of one kind only", func(t *testing.T) { tokenKinds(t, fresh) })
	t.Run("a token runs out at its instant", func(t *testing.T) { tokenExpiry(t, fresh) })
	t.Run("an expired token of another kind is not told to be expired", func(t *testing.T) { tokenExpiredKind(t, fresh) })
	t.Run("a changed byte is refused", func(t *testing.T) { tokenChangedByte(t, fresh) })
	t.Run("a token signed with another secret is refused", func(t *testing.T) { tokenOtherSecret(t, fresh) })
	t.Run("invalid tokens are refused", func(t *testing.T) { tokenGarbage(t, fresh) })
	t.Run("many goroutines may sign and check", func(t *testing.T) { tokenParallel(t, fresh) })
}

// tokenEpoch is a whole second, because tokens may carry no more than that.
var tokenEpoch = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

func tokenClaims(kind identity.TokenKind) identity.Claims {
	return identity.Claims{
		ID: core.NewID(), Subject: core.NewID(), Session: core.NewID(), Kind: kind, Version: 3,
		IssuedAt: core.At(tokenEpoch), ExpiresAt: core.At(tokenEpoch.Add(15 * time.Minute)),
	}
}

func tokenClock(instant time.Time) func() time.Time { return func() time.Time { return instant } }

func signToken(t *testing.T, tokens identity.Tokens, claims identity.Claims) string {
	t.Helper()
	token, err := tokens.Sign(claims)
	if err != nil {
		t.Fatalf("Sign: %v", err)
	}
	return token
}

func tokenRoundTrip(t *testing.T, fresh func(*testing.T, func() time.Time) identity.Tokens) {
	tokens := fresh(t, tokenClock(tokenEpoch))
	for _, kind := range []identity.TokenKind{identity.TokenAccess, identity.TokenRefresh} {
		want := tokenClaims(kind)
		got, err := tokens.Verify(signToken(t, tokens, want), kind)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", kind, got, err, want)
		}
		want.Session = ""
		got, err = tokens.Verify(signToken(t, tokens, want), kind)
		if err != nil || got != want {
			t.Errorf("%s without a session: got %+v, %v, want %+v", kind, got, err, want)
		}
	}
}

func tokenKinds(t *testing.T, fresh func(*testing.T, func() time.Time) identity.Tokens) {
	tokens := fresh(t, tokenClock(tokenEpoch))
	access := signToken(t, tokens, tokenClaims(identity.TokenAccess))
	refresh := signToken(t, tokens, tokenClaims(identity.TokenRefresh))
	wantTokenRefused(t, tokens, access, identity.TokenRefresh)
	wantTokenRefused(t, tokens, refresh, identity.TokenAccess)
}

func tokenExpiry(t *testing.T, fresh func(*testing.T, func() time.Time) identity.Tokens) {
	now := tokenEpoch
	tokens := fresh(t, func() time.Time { return now })
	signed := tokenClaims(identity.TokenAccess)
	token := signToken(t, tokens, signed)
	now = tokenEpoch.Add(15*time.Minute - time.Millisecond)
	if _, err := tokens.Verify(token, identity.TokenAccess); err != nil {
		t.Errorf("a millisecond early: got %v, want the claims", err)
	}
	for _, late := range []time.Duration{0, time.Millisecond, time.Hour} {
		now = tokenEpoch.Add(15*time.Minute + late)
		claims, err := tokens.Verify(token, identity.TokenAccess)
		if !core.IsCode(err, core.CodeTokenExpired) || claims != signed {
			t.Errorf("%s late: got %+v and %v, want the claims and %s", late, claims, err, core.CodeTokenExpired)
		}
	}
}

func tokenExpiredKind(t *testing.T, fresh func(*testing.T, func() time.Time) identity.Tokens) {
	now := tokenEpoch
	tokens := fresh(t, func() time.Time { return now })
	token := signToken(t, tokens, tokenClaims(identity.TokenRefresh))
	now = tokenEpoch.Add(time.Hour)
	wantTokenRefused(t, tokens, token, identity.TokenAccess)
}

func tokenChangedByte(t *testing.T, fresh func(*testing.T, func() time.Time) identity.Tokens) {
	tokens := fresh(t, tokenClock(tokenEpoch))
	token := signToken(t, tokens, tokenClaims(identity.TokenAccess))
	for i := range len(token) {
		for _, flip := range []byte{1, 2, 32} {
			changed := []byte(token)
			changed[i] ^= flip
			wantTokenRefused(t, tokens, string(changed), identity.TokenAccess)
		}
	}
}

func tokenOtherSecret(t *testing.T, fresh func(*testing.T, func() time.Time) identity.Tokens) {
	ours, theirs := fresh(t, tokenClock(tokenEpoch)), fresh(t, tokenClock(tokenEpoch))
	wantTokenRefused(t, ours, signToken(t, theirs, tokenClaims(identity.TokenAccess)), identity.TokenAccess)
}

func tokenGarbage(t *testing.T, fresh func(*testing.T, func() time.Time) identity.Tokens) {
	tokens := fresh(t, tokenClock(tokenEpoch))
	token := signToken(t, tokens, tokenClaims(identity.TokenAccess))
	for _, text := range []string{
		"", ".", "..", "...", "a.b.c", " ", "\x00", "null", token + ".", "." + token, token + " ", " " + token,
		token + "\n", "Bearer " + token, token + token, token[:len(token)-1], token[1:], strings.Repeat("a", 1<<16),
	} {
		wantTokenRefused(t, tokens, text, identity.TokenAccess)
	}
}

func tokenParallel(t *testing.T, fresh func(*testing.T, func() time.Time) identity.Tokens) {
	tokens := fresh(t, tokenClock(tokenEpoch))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				want := tokenClaims(identity.TokenAccess)
				token, err := tokens.Sign(want)
				if err != nil {
					t.Errorf("Sign: %v", err)
					return
				}
				if got, err := tokens.Verify(token, identity.TokenAccess); err != nil || got != want {
					t.Errorf("got %+v, %v, want %+v", got, err, want)
				}
			}
		})
	}
	group.Wait()
}

func wantTokenRefused(t *testing.T, tokens identity.Tokens, token string, kind identity.TokenKind) {
	t.Helper()
	if claims, err := tokens.Verify(token, kind); !core.IsCode(err, core.CodeUnauthenticated) {
		t.Errorf("token %.40q as %s: got %+v, %v, want code %s", token, kind, claims, err, core.CodeUnauthenticated)
	}
}

// RunPasswords tests an implementation of identity.Passwords against its port.
func RunPasswords(t *testing.T, fresh func(t *testing.T) identity.Passwords) {
	t.Run("a password matches its own hash only", func(t *testing.T) { passwordMatches(t, fresh(t)) })
	t.Run("equal passwords have different hashes", func(t *testing.T) { passwordSalted(t, fresh(t)) })
	t.Run("every character of a long password counts", func(t *testing.T) { passwordLong(t, fresh(t)) })
	t.Run("an empty hash matches nothing", func(t *testing.T) { passwordEmptyHash(t, fresh(t)) })
	t.Run("a hash does not hold the password", func(t *testing.T) { passwordHidden(t, fresh(t)) })
	t.Run("an ended context ends the wait", func(t *testing.T) { passwordContext(t, fresh(t)) })
	t.Run("many goroutines may hash and check", func(t *testing.T) { passwordParallel(t, fresh(t)) })
}

func hashPassword(t *testing.T, passwords identity.Passwords, password string) string {
	t.Helper()
	hash, err := passwords.Hash(t.Context(), password)
	if err != nil {
		t.Fatalf("Hash: %v", err)
	}
	return hash
}

func wantMatch(t *testing.T, passwords identity.Passwords, hash, password string, want bool) {
	t.Helper()
	got, err := passwords.Verify(t.Context(), hash, password)
	if err != nil || got != want {
		t.Errorf("password %.40q: got %v, %v, want %v", password, got, err, want)
	}
}

func passwordMatches(t *testing.T, passwords identity.Passwords) {
	const password = "correct horse é \x00 battery"
	hash := hashPassword(t, passwords, password)
	wantMatch(t, passwords, hash, password, true)
	for _, wrong := range []string{"", "correct horse é \x00 batterz", password + " ", " " + password, strings.ToUpper(password), "correct horse é "} {
		wantMatch(t, passwords, hash, wrong, false)
	}
}

func passwordSalted(t *testing.T, passwords identity.Passwords) {
	first, second := hashPassword(t, passwords, "same password"), hashPassword(t, passwords, "same password")
	if first == second {
		t.Errorf("got the hash %q twice, want two different ones", first)
	}
	wantMatch(t, passwords, second, "same password", true)
}

func passwordLong(t *testing.T, passwords identity.Passwords) {
	long := strings.Repeat("é", core.MaxPasswordChars-1)
	hash := hashPassword(t, passwords, long+"a")
	wantMatch(t, passwords, hash, long+"a", true)
	wantMatch(t, passwords, hash, long+"b", false)
}

func passwordEmptyHash(t *testing.T, passwords identity.Passwords) {
	wantMatch(t, passwords, "", "", false)
	wantMatch(t, passwords, "", "anything", false)
}

func passwordHidden(t *testing.T, passwords identity.Passwords) {
	if hash := hashPassword(t, passwords, "hunter22hunter22"); hash == "" || strings.Contains(hash, "hunter22") {
		t.Errorf("got the hash %q, want one without the password", hash)
	}
}

func passwordContext(t *testing.T, passwords identity.Passwords) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := passwords.Hash(ctx, "some password"); !errors.Is(err, context.Canceled) {
		t.Errorf("Hash: got %v, want %v", err, context.Canceled)
	}
	if ok, err := passwords.Verify(ctx, "", "some password"); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("Verify: got %v, %v, want %v", ok, err, context.Canceled)
	}
}

func passwordParallel(t *testing.T, passwords identity.Passwords) {
	hash := hashPassword(t, passwords, "shared password")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { wantMatch(t, passwords, hash, "shared password", true) })
	}
	group.Wait()
}

// RunSealer tests an implementation of identity.Sealer against its port. Each call
// of fresh returns a sealer with another key.
func RunSealer(t *testing.T, fresh func(t *testing.T) identity.Sealer) {
	t.Run("a sealed secret opens where it was sealed", func(t *testing.T) { sealRoundTrip(t, fresh(t)) })
	t.Run("sealing twice gives different results", func(t *testing.T) { sealFresh(t, fresh(t)) })
	t.Run("a secret opens in no other place", func(t *testing.T) { sealPlace(t, fresh(t)) })
	t.Run("another key opens nothing", func(t *testing.T) { sealOtherKey(t, fresh(t), fresh(t)) })
	t.Run("a changed or missing byte opens nothing", func(t *testing.T) { sealChanged(t, fresh(t)) })
	t.Run("a token is 26 letters and digits", func(t *testing.T) { sealTokenShape(t, fresh(t)) })
	t.Run("a token depends on every part and on where parts end", func(t *testing.T) { sealTokenInjective(t, fresh(t)) })
	t.Run("another key makes other tokens", func(t *testing.T) { sealTokenKey(t, fresh(t), fresh(t)) })
}

func sealSecret(t *testing.T, sealer identity.Sealer, secret, place string) []byte {
	t.Helper()
	box, err := sealer.Seal([]byte(secret), place)
	if err != nil {
		t.Fatalf("Seal: %v", err)
	}
	return box
}

func wantSealed(t *testing.T, sealer identity.Sealer, box []byte, place string) {
	t.Helper()
	if secret, err := sealer.Open(box, place); !core.IsCode(err, core.CodeInternal) {
		t.Errorf("at %q: got %q, %v, want code %s", place, secret, err, core.CodeInternal)
	}
}

func sealRoundTrip(t *testing.T, sealer identity.Sealer) {
	for _, secret := range []string{"", "sk-12345678", strings.Repeat("x", 1<<16), "\x00\xff"} {
		box := sealSecret(t, sealer, secret, "provider/1")
		got, err := sealer.Open(box, "provider/1")
		if err != nil || string(got) != secret {
			t.Errorf("got %.40q, %v, want %.40q", got, err, secret)
		}
		if len(secret) > 4 && bytes.Contains(box, []byte(secret)) {
			t.Errorf("the sealed form of %.40q holds the secret in clear", secret)
		}
	}
}

func sealFresh(t *testing.T, sealer identity.Sealer) {
	first, second := sealSecret(t, sealer, "secret", "here"), sealSecret(t, sealer, "secret", "here")
	if bytes.Equal(first, second) {
		t.Errorf("got %x twice, want two different results", first)
	}
}

func sealPlace(t *testing.T, sealer identity.Sealer) {
	box := sealSecret(t, sealer, "secret", "provider/1")
	for _, place := range []string{"", "provider/2", "provider/1 ", "Provider/1"} {
		wantSealed(t, sealer, box, place)
	}
}

func sealOtherKey(t *testing.T, ours, theirs identity.Sealer) {
	wantSealed(t, ours, sealSecret(t, theirs, "secret", "here"), "here")
}

func sealChanged(t *testing.T, sealer identity.Sealer) {
	box := sealSecret(t, sealer, "secret", "here")
	for i := range box {
		changed := bytes.Clone(box)
		changed[i] ^= 1
		wantSealed(t, sealer, changed, "here")
		wantSealed(t, sealer, box[:i], "here")
	}
	wantSealed(t, sealer, append(bytes.Clone(box), 0), "here")
}

func sealTokenShape(t *testing.T, sealer identity.Sealer) {
	shape := regexp.MustCompile(`^[a-z2-7]{26}$`)
	for _, parts := range [][]string{{}, {""}, {"a"}, {"project", "members", "7"}} {
		token := sealer.Token(parts...)
		if !shape.MatchString(token) || token != sealer.Token(parts...) {
			t.Errorf("parts %q: got %q and %q, want one text of the shape %s", parts, token, sealer.Token(parts...), shape)
		}
	}
}

func sealTokenInjective(t *testing.T, sealer identity.Sealer) {
	seen := map[string][]string{}
	for _, parts := range [][]string{
		{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"", "ab"}, {"ab", ""}, {"b", "a"}, {"a", "b", ""}, {"a\x00b"}, {"a,b"}, {"a/b"},
	} {
		token := sealer.Token(parts...)
		if before, twice := seen[token]; twice {
			t.Errorf("%q and %q give the same token, want different ones", before, parts)
		}
		seen[token] = parts
	}
}

func sealTokenKey(t *testing.T, ours, theirs identity.Sealer) {
	if token := ours.Token("a"); token == theirs.Token("a") {
		t.Errorf("two keys gave %q, want different tokens", token)
	}
}
