package people_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestGuessesAreLimitedByAccount guesses from many networks, each within its limit.
func TestGuessesAreLimitedByAccount(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := storytest.Serve(t, t.TempDir(), program.Make, storytest.Merged(program.Env(t), map[string]string{
				"AUTH_RATE_LIMIT_PER_MINUTE": "20", "TRUSTED_PROXIES": "127.0.0.1/32",
			}))
			try := func(email, password, address string) storytest.Answer {
				t.Helper()
				body := map[string]string{"email": email, "password": password}
				return (&storytest.Caller{Site: s}).Do(http.MethodPost, "/auth/login", body, "X-Forwarded-For", address)
			}
			owner := newAccount(s)
			if got := try(owner.User.Email, "long enough", "203.0.113.9"); got.Status != http.StatusOK {
				t.Fatalf("sign in: got %d %s", got.Status, got.Body)
			}
			for _, email := range []string{owner.User.Email, "nobody@example.com"} {
				refused := 0
				for i := range 200 {
					got := try(email, fmt.Sprint("guess number ", i), fmt.Sprintf("2001:db8:%x::1", i))
					if wait, _ := strconv.Atoi(got.Header.Get("Retry-After")); got.Status == http.StatusTooManyRequests && got.Code() == core.CodeRateLimited && wait > 0 {
						refused++
					} else if got.Status != http.StatusUnauthorized {
						t.Fatalf("guess %d: got %d %s, want 401 or 429", i, got.Status, got.Body)
					}
				}
				if refused != 190 {
					t.Errorf("%s: got %d of 200 guesses refused, want all but 10", email, refused)
				}
			}
			if got := try(owner.User.Email, "long enough", "203.0.113.9"); got.Status != http.StatusOK {
				t.Errorf("the owner, from where they signed in before: got %d %s, want 200", got.Status, got.Body)
			}
			if got := try(owner.User.Email, "long enough", "198.51.100.7"); got.Status != http.StatusTooManyRequests {
				t.Errorf("the right password from a new network: got %d, want 429: else the limit tells it", got.Status)
			}
			forgot(s, owner.User.Email)
			token := resetToken(s, mails(s, owner.User.Email, 1)[0])
			reset := (&storytest.Caller{Site: s}).Do(http.MethodPost, "/auth/reset-password", map[string]string{"token": token, "password": "of my own choice"}, "X-Forwarded-For", "198.51.100.7")
			if reset.Status != http.StatusNoContent {
				t.Fatalf("reset: got %d %s", reset.Status, reset.Body)
			}
			if got := try(owner.User.Email, "of my own choice", "198.51.100.7"); got.Status != http.StatusOK {
				t.Errorf("the owner in a new place, after a reset: got %d %s, want 200", got.Status, got.Body)
			}
		})
	}
}

func TestCommonPasswordsAreRefused(t *testing.T) {
	s := storytest.Programs()["inmemory"].Serve(t)
	anybody := &storytest.Caller{Site: s}
	for _, password := range []string{"password", "P@ssw0rd1", "qwertz123", "12345678"} {
		body := map[string]string{"email": "new@example.com", "password": password}
		anybody.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, "/auth/signup", body)
		c := s.SignUp()
		c.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPatch, "/auth/me", map[string]string{"currentPassword": "long enough", "password": password})
	}
}
