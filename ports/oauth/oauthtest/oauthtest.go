// Package oauthtest tests an oauth.Identifier and an oauth.Granter against their port, and has the
// server that both talk to.
package oauthtest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

// Provider is a provider as its people see it.
type Provider interface {
	// AddPerson adds a person, or replaces the one of that subject.
	AddPerson(profile oauth.Profile)
	// Approve is the page behind an address of AuthorizeURL, on which the person of
	// the subject agrees. It returns where the browser is sent back to.
	Approve(authorizeURL, subject string) (string, error)
	// SetDown lets the provider stop answering, or answer again.
	SetDown(down bool)
}

// Granter is a provider that grants tokens.
type Granter interface {
	Provider
	// SetTokens sets the lifetime of tokens granted from now on; 0 means forever, without a refresh
	// token. If rotates is set, a refresh token works once and is replaced by another.
	SetTokens(lifetime time.Duration, rotates bool)
	// Holder returns the subject of the person for whom an access token acts, ""
	// for a token that the provider does not know.
	Holder(accessToken string) string
}

// Attempt returns an attempt with fresh secrets.
func Attempt() oauth.Attempt {
	return oauth.Attempt{State: core.NewSecret(), Verifier: core.NewSecret(), Nonce: core.NewSecret()}
}

// Code lets the person of the subject agree to an attempt and returns the
// code that the browser brings back.
func Code(t testing.TB, from interface {
	AuthorizeURL(context.Context, oauth.Attempt) (string, error)
}, provider Provider, attempt oauth.Attempt, subject string) string {
	t.Helper()
	address, err := from.AuthorizeURL(t.Context(), attempt)
	if err != nil {
		t.Fatalf("AuthorizeURL: %v", err)
	}
	back, err := provider.Approve(address, subject)
	if err != nil {
		t.Fatalf("approve: %v", err)
	}
	callback, err := url.Parse(back)
	if err != nil || callback.Query().Get("state") != attempt.State || callback.Query().Get("code") == "" {
		t.Fatalf("got the callback %q, %v, want one with the state and a code", back, err)
	}
	return callback.Query().Get("code")
}

// WantError checks an error's code, and that it reveals no secret: neither its text, nor anything
// that it wraps, nor a log line about it may contain one.
func WantError(t testing.TB, err error, code core.Code, secrets ...string) {
	t.Helper()
	if !core.IsCode(err, code) {
		t.Errorf("got %v, want code %s", err, code)
	}
	var line strings.Builder
	slog.New(slog.NewJSONHandler(&line, nil)).Error("sign-in failed", "error", err)
	for _, form := range []string{fmt.Sprint(err), fmt.Sprintf("%#v", err), line.String()} {
		for _, secret := range secrets {
			if secret != "" && (strings.Contains(form, secret) || strings.Contains(form, url.QueryEscape(secret))) {
				t.Errorf("got the error %q, want one without the secret %q", form, secret)
			}
		}
	}
}

func secrets(attempt oauth.Attempt, more ...string) []string {
	return append([]string{attempt.State, attempt.Verifier, attempt.Nonce}, more...)
}

func person() oauth.Profile {
	return oauth.Profile{
		Subject: "583231", Email: "ada@example.com", EmailVerified: true,
		Name: "Ada Lovelace", AvatarURL: "https://images.example.com/ada.png",
	}
}

// RunIdentifier tests an implementation of oauth.Identifier against its port. Each
// call of fresh returns one beside its provider, whose people have numbers as
// subjects.
func RunIdentifier(t *testing.T, fresh func(t *testing.T) (oauth.Identifier, Provider)) {
	clause := func(name string, do func(*testing.T, oauth.Identifier, Provider)) {
		t.Run(name, func(t *testing.T) {
			identifier, provider := fresh(t)
			do(t, identifier, provider)
		})
	}
	clause("who agrees is told with all that the provider says", identifies)
	clause("an address that the provider has not verified is told so", unverified)
	clause("a person may have neither address nor name nor picture", bare)
	clause("the address has the state and a hash of the verifier", address)
	clause("a code works once", codeOnce)
	clause("a stolen code is worth nothing in another attempt", stolenCode)
	clause("a code that nobody gave is refused", unknownCode)
	clause("a provider that is down is unavailable, and found again later", down)
	clause("an ended context ends the call", honoursContext)
	clause("many people sign in at once, each as themselves", parallel)
}

func identifies(t *testing.T, identifier oauth.Identifier, provider Provider) {
	other := person()
	other.Subject, other.Email = "2", "grace@example.com"
	provider.AddPerson(other)
	wantProfile(t, identifier, provider, person())
}

func wantProfile(t *testing.T, identifier oauth.Identifier, provider Provider, want oauth.Profile) {
	t.Helper()
	provider.AddPerson(want)
	attempt := Attempt()
	code := Code(t, identifier, provider, attempt, want.Subject)
	if got, err := identifier.Identify(t.Context(), attempt, code); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func unverified(t *testing.T, identifier oauth.Identifier, provider Provider) {
	person := person()
	person.EmailVerified = false
	wantProfile(t, identifier, provider, person)
}

func bare(t *testing.T, identifier oauth.Identifier, provider Provider) {
	wantProfile(t, identifier, provider, oauth.Profile{Subject: "7"})
}

func address(t *testing.T, identifier oauth.Identifier, _ Provider) {
	attempt := Attempt()
	address, err := identifier.AuthorizeURL(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	page, err := url.Parse(address)
	if err != nil || !page.IsAbs() || page.Host == "" {
		t.Fatalf("got the address %q, %v, want an absolute one", address, err)
	}
	sum := sha256.Sum256([]byte(attempt.Verifier))
	for name, want := range map[string]string{
		"response_type": "code", "state": attempt.State, "code_challenge_method": "S256",
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]),
	} {
		if got := page.Query()[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if strings.Contains(address, attempt.Verifier) {
		t.Errorf("got the address %q, want one without the verifier", address)
	}
}

func codeOnce(t *testing.T, identifier oauth.Identifier, provider Provider) {
	provider.AddPerson(person())
	attempt := Attempt()
	code := Code(t, identifier, provider, attempt, person().Subject)
	if _, err := identifier.Identify(t.Context(), attempt, code); err != nil {
		t.Fatal(err)
	}
	_, err := identifier.Identify(t.Context(), attempt, code)
	WantError(t, err, core.CodeInvalidCredentials, secrets(attempt, code)...)
}

func stolenCode(t *testing.T, identifier oauth.Identifier, provider Provider) {
	provider.AddPerson(person())
	for _, verifier := range []string{core.NewSecret(), ""} {
		victim, thief := Attempt(), Attempt()
		thief.Verifier = verifier
		code := Code(t, identifier, provider, victim, person().Subject)
		profile, err := identifier.Identify(t.Context(), thief, code)
		WantError(t, err, core.CodeInvalidCredentials, append(secrets(victim, code), thief.Verifier)...)
		if profile != (oauth.Profile{}) {
			t.Errorf("got the profile %+v, want none", profile)
		}
	}
}

func unknownCode(t *testing.T, identifier oauth.Identifier, provider Provider) {
	provider.AddPerson(person())
	for _, code := range []string{"", core.NewSecret(), "a b&c=d\r\n\x00é", strings.Repeat("x", 1<<16)} {
		attempt := Attempt()
		_ = Code(t, identifier, provider, attempt, person().Subject)
		_, err := identifier.Identify(t.Context(), attempt, code)
		WantError(t, err, core.CodeInvalidCredentials, secrets(attempt, code)...)
	}
}

func down(t *testing.T, identifier oauth.Identifier, provider Provider) {
	provider.SetDown(true)
	attempt := Attempt()
	if _, err := identifier.AuthorizeURL(t.Context(), attempt); err != nil {
		WantError(t, err, core.CodeUnavailable, secrets(attempt)...)
	}
	_, err := identifier.Identify(t.Context(), attempt, core.NewSecret())
	WantError(t, err, core.CodeUnavailable, secrets(attempt)...)
	provider.SetDown(false)
	wantProfile(t, identifier, provider, person())
}

func honoursContext(t *testing.T, identifier oauth.Identifier, provider Provider) {
	provider.AddPerson(person())
	attempt := Attempt()
	code := Code(t, identifier, provider, attempt, person().Subject)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := identifier.Identify(ctx, attempt, code)
	WantError(t, err, core.CodeUnavailable, secrets(attempt, code)...)
}

func parallel(t *testing.T, identifier oauth.Identifier, provider Provider) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			person := person()
			person.Subject, person.Email = fmt.Sprint(i+1), fmt.Sprintf("p%d@example.com", i+1)
			wantProfile(t, identifier, provider, person)
		})
	}
	group.Wait()
}
