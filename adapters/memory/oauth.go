package memory

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

// OAuth is a provider that identifies people and grants tokens. It knows the people that
// AddPerson adds; Approve replaces the consent page on which one of them agrees.
type OAuth struct {
	provider core.IdentityProvider
	callback string
	now      func() time.Time

	mu       sync.Mutex
	people   map[string]oauth.Profile
	codes    map[string]oauthConsent
	grants   map[string]oauthGrant
	refresh  map[string]string // refresh token → subject
	lifetime time.Duration
	rotates  bool
	down     bool
}

// oauthConsent is the meaning of a code: a person's consent in one attempt.
type oauthConsent struct {
	subject, challenge, nonce string
}

type oauthGrant struct {
	subject   string
	expiresAt *core.Time
}

var (
	_ oauth.Identifier = (*OAuth)(nil)
	_ oauth.Granter    = (*OAuth)(nil)
)

// NewOAuth returns a provider without people, whose tokens never expire. It redirects
// browsers to callback.
func NewOAuth(provider core.IdentityProvider, callback string, now func() time.Time) *OAuth {
	return &OAuth{
		provider: provider, callback: callback, now: now, people: map[string]oauth.Profile{},
		codes: map[string]oauthConsent{}, grants: map[string]oauthGrant{}, refresh: map[string]string{},
	}
}

// AddPerson adds a person, or replaces the one of that subject.
func (o *OAuth) AddPerson(profile oauth.Profile) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.people[profile.Subject] = profile
}

// SetDown makes the provider unavailable, or available again.
func (o *OAuth) SetDown(down bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.down = down
}

// SetTokens sets the lifetime of tokens that are granted from now on. 0 is forever,
// without a refresh token. If rotates is set, a refresh token works once and returns a
// new one.
func (o *OAuth) SetTokens(lifetime time.Duration, rotates bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lifetime, o.rotates = lifetime, rotates
}

// Approve acts as the person with the subject on the consent page of an AuthorizeURL, and
// agrees. It returns the address to which the browser is redirected: the callback with
// "code" and "state". If the address comes from another provider, or the person is
// unknown, the error has code core.CodeInvalidRequest.
func (o *OAuth) Approve(authorizeURL, subject string) (string, error) {
	page, err := url.Parse(authorizeURL)
	if err != nil || page.Host != o.host() {
		return "", core.Errorf(core.CodeInvalidRequest, "this is not a page of %s", o.provider)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.people[subject]; !known {
		return "", core.Errorf(core.CodeInvalidRequest, "%s has no person with that subject", o.provider)
	}
	asked := page.Query()
	code := core.NewSecret()
	o.codes[code] = oauthConsent{subject, asked.Get("code_challenge"), asked.Get("nonce")}
	back, err := url.Parse(o.callback)
	if err != nil {
		return "", core.Wrap(core.CodeInvalidRequest, err, "the callback is not a URL")
	}
	answer := back.Query()
	answer.Set("code", code)
	answer.Set("state", asked.Get("state"))
	back.RawQuery = answer.Encode()
	return back.String(), nil
}

// Holder returns the subject of the person to whom an access token belongs, "" if the
// token is unknown or has expired.
func (o *OAuth) Holder(accessToken string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	grant := o.grants[accessToken]
	if grant.expiresAt != nil && core.At(o.now()) >= *grant.expiresAt {
		return ""
	}
	return grant.subject
}

// host is a name that no network resolves (RFC 6761).
func (o *OAuth) host() string { return string(o.provider) + ".invalid" }

// Provider implements oauth.Identifier.
func (o *OAuth) Provider() core.IdentityProvider { return o.provider }

// AuthorizeURL implements oauth.Identifier and oauth.Granter.
func (o *OAuth) AuthorizeURL(ctx context.Context, attempt oauth.Attempt) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.reached(ctx); err != nil {
		return "", err
	}
	query := url.Values{
		"response_type": {"code"}, "redirect_uri": {o.callback}, "state": {attempt.State}, "nonce": {attempt.Nonce},
		"code_challenge": {oauthChallenge(attempt.Verifier)}, "code_challenge_method": {"S256"},
	}
	return "https://" + o.host() + "/authorize?" + query.Encode(), nil
}

// Identify implements oauth.Identifier.
func (o *OAuth) Identify(ctx context.Context, attempt oauth.Attempt, code string) (oauth.Profile, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	subject, err := o.redeem(ctx, attempt, code)
	if err != nil {
		return oauth.Profile{}, err
	}
	return o.people[subject], nil
}

// Redeem implements oauth.Granter.
func (o *OAuth) Redeem(ctx context.Context, attempt oauth.Attempt, code string) (oauth.Grant, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	subject, err := o.redeem(ctx, attempt, code)
	if err != nil {
		return oauth.Grant{}, err
	}
	return o.grant(subject, ""), nil
}

// Refresh implements oauth.Granter.
func (o *OAuth) Refresh(ctx context.Context, refreshToken string) (oauth.Grant, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.reached(ctx); err != nil {
		return oauth.Grant{}, err
	}
	subject, known := o.refresh[refreshToken]
	if !known {
		return oauth.Grant{}, o.refused()
	}
	if o.rotates {
		delete(o.refresh, refreshToken)
		refreshToken = ""
	}
	return o.grant(subject, refreshToken), nil
}

// redeem consumes a code, even if it comes in a wrong attempt.
func (o *OAuth) redeem(ctx context.Context, attempt oauth.Attempt, code string) (string, error) {
	if err := o.reached(ctx); err != nil {
		return "", err
	}
	consent, known := o.codes[code]
	delete(o.codes, code)
	verified := subtle.ConstantTimeCompare([]byte(consent.challenge), []byte(oauthChallenge(attempt.Verifier))) == 1
	if !known || !verified || consent.nonce != attempt.Nonce {
		return "", o.refused()
	}
	return consent.subject, nil
}

// grant creates a token. If tokens expire, it comes with the given refresh token, or with
// a new one if that is "".
func (o *OAuth) grant(subject, refreshToken string) oauth.Grant {
	grant := oauth.Grant{AccessToken: core.NewSecret(), RefreshToken: refreshToken}
	if o.lifetime > 0 {
		expiresAt := core.At(o.now()).Add(o.lifetime)
		grant.ExpiresAt = &expiresAt
		if refreshToken == "" {
			grant.RefreshToken = core.NewSecret()
			o.refresh[grant.RefreshToken] = subject
		}
	}
	o.grants[grant.AccessToken] = oauthGrant{subject, grant.ExpiresAt}
	return grant
}

func (o *OAuth) reached(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "%s could not be reached in time", o.provider)
	}
	if o.down {
		return core.Errorf(core.CodeUnavailable, "%s did not answer", o.provider)
	}
	return nil
}

func (o *OAuth) refused() error {
	return core.Errorf(core.CodeInvalidCredentials, "%s refused the sign-in", o.provider)
}

// oauthChallenge is PKCE's S256 (RFC 7636, section 4.2).
func oauthChallenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
