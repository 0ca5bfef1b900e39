package people_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// proofToken waits for the n-th mail that proves an address, and returns its token.
func proofToken(s *storytest.Site, to string, n int) string {
	s.T.Helper()
	sent := mailsOf(s, to, n, func(subject string) bool { return strings.HasPrefix(subject, "Confirm your") })
	link := s.URL + "/verify-email?token="
	_, rest, found := strings.Cut(sent[n-1].Text, link)
	token, _, _ := strings.Cut(rest, "\n")
	if !found || len(token) != 43 || !strings.Contains(sent[n-1].HTML, `href="`+link+token+`"`) {
		s.T.Fatalf("got %+v, want a link that begins with %s", sent[n-1], link)
	}
	return token
}

// followProof follows the link of a mail.
func followProof(c *storytest.Caller, token string, created bool) storytest.Answer {
	body := map[string]any{"token": token}
	if created {
		body["created"] = true
	}
	return c.Do(http.MethodPost, "/auth/verify-email", body)
}

func isVerified(c *storytest.Caller) bool {
	c.T.Helper()
	var me struct{ User core.User }
	c.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
	return me.User.EmailVerified
}

func wantRefused(t *testing.T, what string, got storytest.Answer, status int, code core.Code) {
	t.Helper()
	if got.Status != status || got.Code() != code {
		t.Errorf("%s: got %d %s, want %d %s", what, got.Status, got.Body, status, code)
	}
}

// apiToken makes a token of every program's favourite scope.
func apiToken(c *storytest.Caller) string {
	c.T.Helper()
	var token struct{ Token string }
	c.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "backup", "scopes": []string{"workspaces:read"}}, &token)
	return token.Token
}

// TestVerifyingTheAddressLosesNothing follows the link of the sign-up in the session that
// created the account.
func TestVerifyingTheAddressLosesNothing(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			c := signUpAs(s, "ada@example.com")
			program := &storytest.Caller{Site: s, Token: apiToken(c.Caller)}
			token := proofToken(s, "ada@example.com", 1)
			if got := followProof(c.Caller, token, false); got.Status != http.StatusOK || !isVerified(c.Caller) {
				t.Fatalf("got %d %s, want the address verified", got.Status, got.Body)
			}
			program.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)
			(&storytest.Caller{Site: s}).Must(http.StatusOK, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": c.refresh}, nil)
			wantRefused(t, "the link again", followProof(c.Caller, token, false), http.StatusBadRequest, core.CodeInvalidToken)
			// A reset of a proven account keeps the programs' tokens.
			forgot(s, "ada@example.com")
			if got := resetTo(s, resetToken(s, mails(s, "ada@example.com", 1)[0]), "another password"); got.Status != http.StatusNoContent {
				t.Fatalf("reset: got %d %s, want 204", got.Status, got.Body)
			}
			program.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)
		})
	}
}

// TestAttacksOnTheProofOfAnAddress tries what an attacker could do who signed up with a
// victim's address, or got hold of a link.
func TestAttacksOnTheProofOfAnAddress(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			attacker, mallory := signUpAs(s, victimAddress), s.SignUp()
			token := proofToken(s, victimAddress, 1)
			wantRefused(t, "the victim's click, signed out", followProof(&storytest.Caller{Site: s}, token, true), http.StatusUnauthorized, core.CodeUnauthenticated)
			wantRefused(t, "the victim's click in an account of their own", followProof(mallory, token, true), http.StatusForbidden, core.CodeForbidden)
			wantRefused(t, "an API token", followProof(&storytest.Caller{Site: s, Token: apiToken(attacker.Caller)}, token, true), http.StatusForbidden, core.CodeInsufficientScope)
			handed := &storytest.Caller{Site: s, Token: signInFor(s, victimAddress, "long enough")}
			wantRefused(t, "a session with a password that somebody handed over", followProof(handed, token, false), http.StatusConflict, core.CodeConflict)
			for what, guess := range map[string]string{"a guess": strings.Repeat("a", 43), "nothing": "", "the hash": core.HashSecret(token), "a long one": strings.Repeat("a", 10_000)} {
				wantRefused(t, what, followProof(attacker.Caller, guess, true), http.StatusBadRequest, core.CodeInvalidToken)
			}
			wantRefused(t, "a link that sets passwords", resetTo(s, token, "another password"), http.StatusBadRequest, core.CodeInvalidToken)
			if isVerified(attacker.Caller) {
				t.Error("got the address verified by nobody who reads its mail")
			}
			// The victim takes the account over, which voids the attacker's links.
			forgot(s, victimAddress)
			reset := resetToken(s, mails(s, victimAddress, 1)[0])
			wantRefused(t, "a link that sets passwords, as a proof", followProof(attacker.Caller, reset, true), http.StatusBadRequest, core.CodeInvalidToken)
			if got := resetTo(s, reset, "of my own choice"); got.Status != http.StatusNoContent {
				t.Fatalf("reset: got %d %s, want 204", got.Status, got.Body)
			}
			wantRefused(t, "the attacker's session", followProof(attacker.Caller, token, true), http.StatusUnauthorized, core.CodeUnauthenticated)
			owner := &storytest.Caller{Site: s, Token: signInFor(s, victimAddress, "of my own choice")}
			wantRefused(t, "the link from before", followProof(owner, token, true), http.StatusBadRequest, core.CodeInvalidToken)
		})
	}
}

func TestWhoCreatedTheAccountSaysSoInALaterSession(t *testing.T) {
	s := storytest.Programs()["inmemory"].Serve(t)
	c := signUpAs(s, "ada@example.com")
	program := &storytest.Caller{Site: s, Token: apiToken(c.Caller)}
	later := &storytest.Caller{Site: s, Token: signInFor(s, "ada@example.com", "long enough")}
	token := proofToken(s, "ada@example.com", 1)
	wantRefused(t, "without saying so", followProof(later, token, false), http.StatusConflict, core.CodeConflict)
	if got := followProof(later, token, true); got.Status != http.StatusOK || !isVerified(later) {
		t.Errorf("got %d %s, want the address verified", got.Status, got.Body)
	}
	program.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)
}

func TestMailsThatProveAnAddressAreLimited(t *testing.T) {
	s := storytest.Programs()["inmemory"].Serve(t)
	c := signUpAs(s, "ada@example.com")
	for n := 2; n <= 5; n++ { // the sign-up sent one
		c.Must(http.StatusAccepted, http.MethodPost, "/auth/verify-email/send", nil, nil)
	}
	wantRefused(t, "a sixth mail", c.Do(http.MethodPost, "/auth/verify-email/send", nil), http.StatusTooManyRequests, core.CodeRateLimited)
	first, last := proofToken(s, "ada@example.com", 1), proofToken(s, "ada@example.com", 5)
	if got := followProof(c.Caller, last, false); got.Status != http.StatusOK {
		t.Fatalf("got %d %s, want the address verified", got.Status, got.Body)
	}
	wantRefused(t, "an earlier link", followProof(c.Caller, first, false), http.StatusBadRequest, core.CodeInvalidToken)
	c.Must(http.StatusAccepted, http.MethodPost, "/auth/verify-email/send", nil, nil) // nothing to prove any more
}

// askForEmail asks for another address.
func askForEmail(c *storytest.Caller, email, password string) storytest.Answer {
	return c.Do(http.MethodPost, "/auth/change-email", map[string]string{"email": email, "password": password})
}

func TestChangingTheAddress(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			c := signUpAs(s, "ada@example.com")
			if got := followProof(c.Caller, proofToken(s, "ada@example.com", 1), false); got.Status != http.StatusOK {
				t.Fatalf("verify: got %d %s", got.Status, got.Body)
			}
			program := &storytest.Caller{Site: s, Token: apiToken(c.Caller)}
			wantRefused(t, "a wrong password", askForEmail(c.Caller, "new@example.com", "wrong password"), http.StatusUnauthorized, core.CodeInvalidCredentials)
			wantRefused(t, "the present address", askForEmail(c.Caller, " ADA@example.com", "long enough"), http.StatusBadRequest, core.CodeValidationFailed)
			wantRefused(t, "no address", askForEmail(c.Caller, "new", "long enough"), http.StatusBadRequest, core.CodeValidationFailed)
			if got := askForEmail(c.Caller, "New@Example.com", "long enough"); got.Status != http.StatusAccepted {
				t.Fatalf("got %d %s, want 202", got.Status, got.Body)
			}
			notices := func(text string) {
				t.Helper()
				mailsOf(s, "ada@example.com", 1, func(subject string) bool { return strings.Contains(subject, text) })
			}
			notices("about to get a new email address")
			token := proofToken(s, "new@example.com", 1)
			wantRefused(t, "signed out", followProof(&storytest.Caller{Site: s}, token, true), http.StatusUnauthorized, core.CodeUnauthenticated)
			wantRefused(t, "in another account", followProof(s.SignUp(), token, true), http.StatusForbidden, core.CodeForbidden)
			if got := followProof(c.Caller, token, false); got.Status != http.StatusOK || !strings.Contains(string(got.Body), `"new@example.com"`) || !strings.Contains(string(got.Body), `"signedOut":true`) {
				t.Fatalf("got %d %s, want the new address", got.Status, got.Body)
			}
			notices("has a new email address")
			wantRefused(t, "the session", c.Do(http.MethodGet, "/auth/me", nil), http.StatusUnauthorized, core.CodeUnauthenticated)
			outside := &storytest.Caller{Site: s}
			wantRefused(t, "its refresh token", outside.Do(http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": c.refresh}), http.StatusUnauthorized, core.CodeUnauthenticated)
			wantRefused(t, "the old address", outside.Do(http.MethodPost, "/auth/login", map[string]string{"email": "ada@example.com", "password": "long enough"}), http.StatusUnauthorized, core.CodeInvalidCredentials)
			later := &storytest.Caller{Site: s, Token: signInFor(s, "new@example.com", "long enough")}
			wantRefused(t, "the link again", followProof(later, token, true), http.StatusBadRequest, core.CodeInvalidToken)
			if !isVerified(later) {
				t.Error("got the new address unverified")
			}
			program.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)
			signUpAs(s, "ada@example.com") // the old address is free
		})
	}
}

// TestAttacksOnAChangeOfTheAddress tries to learn who has an account, to take an address from
// somebody, and to use a link after it was superseded.
func TestAttacksOnAChangeOfTheAddress(t *testing.T) {
	s := storytest.Programs()["local"].Serve(t)
	c, victim := signUpAs(s, "mallory@example.com"), signUpAs(s, victimAddress)
	if got := askForEmail(c.Caller, victimAddress, "long enough"); got.Status != http.StatusAccepted {
		t.Errorf("an address in use: got %d %s, want 202 as for any other", got.Status, got.Body)
	}
	wantRefused(t, "an API token", askForEmail(&storytest.Caller{Site: s, Token: apiToken(c.Caller)}, "x@example.com", "long enough"), http.StatusForbidden, core.CodeInsufficientScope)
	for _, email := range []string{"first@example.com", "second@example.com"} {
		if got := askForEmail(c.Caller, email, "long enough"); got.Status != http.StatusAccepted {
			t.Fatalf("%s: got %d %s, want 202", email, got.Status, got.Body)
		}
		proofToken(s, email, 1)
	}
	wantRefused(t, "a change that another replaced", followProof(c.Caller, proofToken(s, "first@example.com", 1), true), http.StatusBadRequest, core.CodeInvalidToken)
	second := proofToken(s, "second@example.com", 1)
	taker := signUpAs(s, "second@example.com")
	wantRefused(t, "an address that somebody took meanwhile", followProof(c.Caller, second, true), http.StatusConflict, core.CodeEmailTaken)
	if isVerified(victim.Caller) || isVerified(taker.Caller) {
		t.Error("got somebody else's address verified")
	}
	if got := mailsOf(s, victimAddress, 0, func(subject string) bool { return strings.Contains(subject, "new email address") }); len(got) != 0 {
		t.Errorf("got %d mails to an address in use, want none", len(got))
	}
	// A new password voids the change.
	if got := askForEmail(c.Caller, "third@example.com", "long enough"); got.Status != http.StatusAccepted {
		t.Fatalf("got %d %s, want 202", got.Status, got.Body)
	}
	third := proofToken(s, "third@example.com", 1)
	c.Must(http.StatusOK, http.MethodPatch, "/auth/me", map[string]string{"currentPassword": "long enough", "password": "another password"}, nil)
	later := &storytest.Caller{Site: s, Token: signInFor(s, "mallory@example.com", "another password")}
	wantRefused(t, "a change from before the password", followProof(later, third, true), http.StatusBadRequest, core.CodeInvalidToken)
}

func TestOfParallelUsesOfAProofOneSucceeds(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			c := signUpAs(s, "ada@example.com")
			token := proofToken(s, "ada@example.com", 1)
			answers := make([]storytest.Answer, 8)
			var group sync.WaitGroup
			for i := range answers {
				group.Go(func() { answers[i] = followProof(c.Caller, token, false) })
			}
			group.Wait()
			passed := 0
			for _, got := range answers {
				if got.Status == http.StatusOK {
					passed++
				} else {
					wantRefused(t, "another", got, http.StatusBadRequest, core.CodeInvalidToken)
				}
			}
			if passed != 1 {
				t.Errorf("got %d uses of a link that passed, want 1", passed)
			}
		})
	}
}

// TestNoticesAboutTheAccount checks that the owner of a proven address hears of what somebody
// else might have done.
func TestNoticesAboutTheAccount(t *testing.T) {
	s := storytest.Programs()["inmemory"].Serve(t)
	c := signUpAs(s, "ada@example.com")
	apiToken(c.Caller) // nobody is told at an address that nobody has proven
	if got := followProof(c.Caller, proofToken(s, "ada@example.com", 1), false); got.Status != http.StatusOK {
		t.Fatalf("verify: got %d %s", got.Status, got.Body)
	}
	told := func(subject string, n int) int {
		t.Helper()
		return len(mailsOf(s, "ada@example.com", n, func(got string) bool { return strings.Contains(got, subject) }))
	}
	signInAs(s, "ada@example.com", "long enough") // the same program and network: known
	if got := told("New sign-in", 0); got != 0 {
		t.Errorf("got %d notices of a known device, want none", got)
	}
	for range 12 {
		apiToken(c.Caller)
	}
	told("New API token", 10)
	c.Must(http.StatusOK, http.MethodPatch, "/auth/me", map[string]string{"currentPassword": "long enough", "password": "another password"}, nil)
	told("password was changed", 1)
	signInAs(s, "ada@example.com", "another password") // every session is gone, so this one is new
	told("New sign-in", 1)
	if got := told("New API token", 10); got != 10 {
		t.Errorf("got %d notices of tokens, want 10 at most a day", got)
	}
}
