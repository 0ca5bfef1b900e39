package bootstrap_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// TestGuessesAreLimitedByAccount guesses from many networks, each within its limit.
func TestGuessesAreLimitedByAccount(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := serve(t, t.TempDir(), program.make, merged(program.env(t), map[string]string{
				"AUTH_RATE_LIMIT_PER_MINUTE": "20", "TRUSTED_PROXIES": "127.0.0.1/32",
			}))
			try := func(email, password, address string) answer {
				t.Helper()
				body := map[string]string{"email": email, "password": password}
				return (&caller{site: s}).do(http.MethodPost, "/auth/login", body, "X-Forwarded-For", address)
			}
			owner := s.newAccount()
			if got := try(owner.user.Email, "long enough", "203.0.113.9"); got.status != http.StatusOK {
				t.Fatalf("sign in: got %d %s", got.status, got.body)
			}
			for _, email := range []string{owner.user.Email, "nobody@example.com"} {
				refused := 0
				for i := range 200 {
					got := try(email, fmt.Sprint("guess number ", i), fmt.Sprintf("2001:db8:%x::1", i))
					if wait, _ := strconv.Atoi(got.header.Get("Retry-After")); got.status == http.StatusTooManyRequests && got.code() == core.CodeRateLimited && wait > 0 {
						refused++
					} else if got.status != http.StatusUnauthorized {
						t.Fatalf("guess %d: got %d %s, want 401 or 429", i, got.status, got.body)
					}
				}
				if refused != 190 {
					t.Errorf("%s: got %d of 200 guesses refused, want all but 10", email, refused)
				}
			}
			if got := try(owner.user.Email, "long enough", "203.0.113.9"); got.status != http.StatusOK {
				t.Errorf("the owner, from where they signed in before: got %d %s, want 200", got.status, got.body)
			}
			if got := try(owner.user.Email, "long enough", "198.51.100.7"); got.status != http.StatusTooManyRequests {
				t.Errorf("the right password from a new network: got %d, want 429: else the limit tells it", got.status)
			}
			s.forgot(owner.user.Email)
			token := s.resetToken(s.mails(owner.user.Email, 1)[0])
			reset := (&caller{site: s}).do(http.MethodPost, "/auth/reset-password", map[string]string{"token": token, "password": "of my own choice"}, "X-Forwarded-For", "198.51.100.7")
			if reset.status != http.StatusNoContent {
				t.Fatalf("reset: got %d %s", reset.status, reset.body)
			}
			if got := try(owner.user.Email, "of my own choice", "198.51.100.7"); got.status != http.StatusOK {
				t.Errorf("the owner in a new place, after a reset: got %d %s, want 200", got.status, got.body)
			}
		})
	}
}

func TestCommonPasswordsAreRefused(t *testing.T) {
	s := programs()["inmemory"].serve(t)
	anybody := &caller{site: s}
	for _, password := range []string{"password", "P@ssw0rd1", "qwertz123", "12345678"} {
		body := map[string]string{"email": "new@example.com", "password": password}
		anybody.refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, "/auth/signup", body)
		c := s.signUp()
		c.refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPatch, "/auth/me", map[string]string{"currentPassword": "long enough", "password": password})
	}
}
