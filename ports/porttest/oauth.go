package porttest

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

// OAuthProvider is a provider as its people see it.
type OAuthProvider interface {
	// AddPerson adds a person, or replaces the one of that subject.
	AddPerson(profile oauth.Profile)
	// Approve is the page behind an address of AuthorizeURL, on which the person of
	// the subject agrees. It returns where the browser is sent back to.
	Approve(authorizeURL, subject string) (string, error)
	// SetDown lets the provider stop answering, or answer again.
	SetDown(down bool)
}

// OAuthGranting is a provider that grants tokens.
type OAuthGranting interface {
	OAuthProvider
	// SetTokens lets tokens granted from now on live for lifetime; 0 is for ever,
	// and without a refresh token. Where rotates is set a refresh token works once
	// and brings another.
	SetTokens(lifetime time.Duration, rotates bool)
	// Holder returns the subject of the person for whom an access token acts, ""
	// for a token that the provider does not know.
	Holder(accessToken string) string
}

// OAuthAttempt returns an attempt with fresh secrets.
func OAuthAttempt() oauth.Attempt {
	return oauth.Attempt{State: core.NewSecret(), Verifier: core.NewSecret(), Nonce: core.NewSecret()}
}

// OAuthCode lets the person of the subject agree to an attempt and returns the
// code that the browser brings back.
func OAuthCode(t testing.TB, from interface {
	AuthorizeURL(context.Context, oauth.Attempt) (string, error)
}, provider OAuthProvider, attempt oauth.Attempt, subject string) string {
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

// WantOAuthError holds an error to a code, and to silence about secrets: none of
// them may stand in it, in anything that it wraps, or in a log line about it.
func WantOAuthError(t testing.TB, err error, code core.Code, secrets ...string) {
	t.Helper()
	if !core.IsCode(err, code) {
		t.Errorf("got %v, want code %s", err, code)
	}
	var line strings.Builder
	slog.New(slog.NewJSONHandler(&line, nil)).Error("sign-in failed", "err", err)
	for _, form := range []string{fmt.Sprint(err), fmt.Sprintf("%#v", err), line.String()} {
		for _, secret := range secrets {
			if secret != "" && (strings.Contains(form, secret) || strings.Contains(form, url.QueryEscape(secret))) {
				t.Errorf("got the error %q, want one without the secret %q", form, secret)
			}
		}
	}
}

func oauthSecrets(attempt oauth.Attempt, more ...string) []string {
	return append([]string{attempt.State, attempt.Verifier, attempt.Nonce}, more...)
}

func oauthPerson() oauth.Profile {
	return oauth.Profile{
		Subject: "583231", Email: "ada@example.com", EmailVerified: true,
		Name: "Ada Lovelace", AvatarURL: "https://images.example.com/ada.png",
	}
}

// TestIdentifier holds an implementation of oauth.Identifier to its port. Each
// call of fresh returns one beside its provider, whose people have numbers as
// subjects.
func TestIdentifier(t *testing.T, fresh func(t *testing.T) (oauth.Identifier, OAuthProvider)) {
	clause := func(name string, do func(*testing.T, oauth.Identifier, OAuthProvider)) {
		t.Run(name, func(t *testing.T) {
			identifier, provider := fresh(t)
			do(t, identifier, provider)
		})
	}
	clause("who agrees is told with all that the provider says", oauthIdentifies)
	clause("an address that the provider has not verified is told so", oauthUnverified)
	clause("a person may have neither address nor name nor picture", oauthBare)
	clause("the address has the state and a hash of the verifier", oauthAddress)
	clause("a code works once", oauthCodeOnce)
	clause("a stolen code is worth nothing in another attempt", oauthStolenCode)
	clause("a code that nobody gave is refused", oauthUnknownCode)
	clause("a provider that is down is unavailable, and found again later", oauthDown)
	clause("an ended context ends the call", oauthContext)
	clause("many people sign in at once, each as themselves", oauthParallel)
}

func oauthIdentifies(t *testing.T, identifier oauth.Identifier, provider OAuthProvider) {
	other := oauthPerson()
	other.Subject, other.Email = "2", "grace@example.com"
	provider.AddPerson(other)
	wantOAuthProfile(t, identifier, provider, oauthPerson())
}

func wantOAuthProfile(t *testing.T, identifier oauth.Identifier, provider OAuthProvider, want oauth.Profile) {
	t.Helper()
	provider.AddPerson(want)
	attempt := OAuthAttempt()
	code := OAuthCode(t, identifier, provider, attempt, want.Subject)
	if got, err := identifier.Identify(t.Context(), attempt, code); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func oauthUnverified(t *testing.T, identifier oauth.Identifier, provider OAuthProvider) {
	person := oauthPerson()
	person.EmailVerified = false
	wantOAuthProfile(t, identifier, provider, person)
}

func oauthBare(t *testing.T, identifier oauth.Identifier, provider OAuthProvider) {
	wantOAuthProfile(t, identifier, provider, oauth.Profile{Subject: "7"})
}

func oauthAddress(t *testing.T, identifier oauth.Identifier, _ OAuthProvider) {
	attempt := OAuthAttempt()
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

func oauthCodeOnce(t *testing.T, identifier oauth.Identifier, provider OAuthProvider) {
	provider.AddPerson(oauthPerson())
	attempt := OAuthAttempt()
	code := OAuthCode(t, identifier, provider, attempt, oauthPerson().Subject)
	if _, err := identifier.Identify(t.Context(), attempt, code); err != nil {
		t.Fatal(err)
	}
	_, err := identifier.Identify(t.Context(), attempt, code)
	WantOAuthError(t, err, core.CodeInvalidCredentials, oauthSecrets(attempt, code)...)
}

func oauthStolenCode(t *testing.T, identifier oauth.Identifier, provider OAuthProvider) {
	provider.AddPerson(oauthPerson())
	for _, verifier := range []string{core.NewSecret(), ""} {
		victim, thief := OAuthAttempt(), OAuthAttempt()
		thief.Verifier = verifier
		code := OAuthCode(t, identifier, provider, victim, oauthPerson().Subject)
		profile, err := identifier.Identify(t.Context(), thief, code)
		WantOAuthError(t, err, core.CodeInvalidCredentials, append(oauthSecrets(victim, code), thief.Verifier)...)
		if profile != (oauth.Profile{}) {
			t.Errorf("got the profile %+v, want none", profile)
		}
	}
}

func oauthUnknownCode(t *testing.T, identifier oauth.Identifier, provider OAuthProvider) {
	provider.AddPerson(oauthPerson())
	for _, code := range []string{"", core.NewSecret(), "a b&c=d\r\n\x00é", strings.Repeat("x", 1<<16)} {
		attempt := OAuthAttempt()
		_ = OAuthCode(t, identifier, provider, attempt, oauthPerson().Subject)
		_, err := identifier.Identify(t.Context(), attempt, code)
		WantOAuthError(t, err, core.CodeInvalidCredentials, oauthSecrets(attempt, code)...)
	}
}

func oauthDown(t *testing.T, identifier oauth.Identifier, provider OAuthProvider) {
	provider.SetDown(true)
	attempt := OAuthAttempt()
	if _, err := identifier.AuthorizeURL(t.Context(), attempt); err != nil {
		WantOAuthError(t, err, core.CodeUnavailable, oauthSecrets(attempt)...)
	}
	_, err := identifier.Identify(t.Context(), attempt, core.NewSecret())
	WantOAuthError(t, err, core.CodeUnavailable, oauthSecrets(attempt)...)
	provider.SetDown(false)
	wantOAuthProfile(t, identifier, provider, oauthPerson())
}

func oauthContext(t *testing.T, identifier oauth.Identifier, provider OAuthProvider) {
	provider.AddPerson(oauthPerson())
	attempt := OAuthAttempt()
	code := OAuthCode(t, identifier, provider, attempt, oauthPerson().Subject)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := identifier.Identify(ctx, attempt, code)
	WantOAuthError(t, err, core.CodeUnavailable, oauthSecrets(attempt, code)...)
}

func oauthParallel(t *testing.T, identifier oauth.Identifier, provider OAuthProvider) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			person := oauthPerson()
			person.Subject, person.Email = fmt.Sprint(i+1), fmt.Sprintf("p%d@example.com", i+1)
			wantOAuthProfile(t, identifier, provider, person)
		})
	}
	group.Wait()
}
