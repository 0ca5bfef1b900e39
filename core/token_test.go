package core_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestSecretsDifferAndAreURLSafe(t *testing.T) {
	form := regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	seen := map[string]bool{}
	for range 1000 {
		secret := core.NewSecret()
		if !form.MatchString(secret) || seen[secret] {
			t.Fatalf("got %q, want 43 fresh characters of A-Z, a-z, 0-9, _ and -", secret)
		}
		seen[secret] = true
		if hash := core.HashSecret(secret); hash == secret || hash != core.HashSecret(secret) || seen[hash] {
			t.Fatalf("got the hash %q of %q, want one of its own, the same each time", hash, secret)
		}
	}
}

func TestParseScopes(t *testing.T) {
	all := make([]string, 0, len(core.Scopes()))
	for _, scope := range core.Scopes() {
		all = append(all, string(scope))
	}
	if got, err := core.ParseScopes(all); err != nil || !slices.Equal(got, core.Scopes()) {
		t.Errorf("got %v, %v, want every scope", got, err)
	}
	got, err := core.ParseScopes([]string{"publish", "files:read", "publish"})
	if want := []core.Scope{core.ScopeFilesRead, core.ScopePublish}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v: each once, in the order of the table", got, err, want)
	}
	for _, words := range [][]string{nil, {}, {""}, {"*"}, {"files:READ"}, {"chat", "admin"}} {
		if got, err := core.ParseScopes(words); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("ParseScopes(%q): got %v, %v, want %s", words, got, err, core.CodeValidationFailed)
		}
	}
}
