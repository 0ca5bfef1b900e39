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

// OAuth is a provider that vouches for people and grants tokens of theirs. It
// knows the people that AddPerson adds, and Approve stands for the page on which
// one of them agrees.
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

// oauthConsent is what a code stands for: a person's word in one attempt.
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

// NewOAuth returns a provider without people, whose tokens never run out. It
// sends browsers back to callback.
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

// SetDown lets the provider stop answering, or answer again.
func (o *OAuth) SetDown(down bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.down = down
}

// SetTokens lets tokens granted from now on live for lifetime; 0 is for ever, and
// without a refresh token. Where rotates is set a refresh token works once and
// brings another.
func (o *OAuth) SetTokens(lifetime time.Duration, rotates bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lifetime, o.rotates = lifetime, rotates
}

// Approve is the page behind an address of AuthorizeURL, on which the person of
// the subject agrees. It returns where the browser is sent back to: the callback
// with "code" and "state". An address of another maker, or an unknown person, has
// code core.CodeInvalidRequest.
func (o *OAuth) Approve(authorizeURL, subject string) (string, error) {
	page, err := url.Parse(authorizeURL)
	if err != nil || page.Host != o.host() {
		return "", core.Errorf(core.CodeInvalidRequest, "this is no page of %s", o.provider)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.people[subject]; !known {
		return "", core.Errorf(core.CodeInvalidRequest, "%s knows nobody of that subject", o.provider)
	}
	asked := page.Query()
	code := core.NewSecret()
	o.codes[code] = oauthConsent{subject, asked.Get("code_challenge"), asked.Get("nonce")}
	back, err := url.Parse(o.callback)
	if err != nil {
		return "", core.Wrap(core.CodeInvalidRequest, err, "the callback is no address")
	}
	answer := back.Query()
	answer.Set("code", code)
	answer.Set("state", asked.Get("state"))
	back.RawQuery = answer.Encode()
	return back.String(), nil
}

// Holder returns the subject of the person for whom an access token acts, "" for
// a token that is unknown or has run out.
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

// redeem spends a code, also when it comes in a wrong attempt.
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

// grant makes a token. Where tokens run out it comes with the given refresh token,
// or with a new one in the place of "".
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
		return core.Wrap(core.CodeUnavailable, err, "%s was not asked in time", o.provider)
	}
	if o.down {
		return core.Errorf(core.CodeUnavailable, "%s does not answer", o.provider)
	}
	return nil
}

func (o *OAuth) refused() error {
	return core.Errorf(core.CodeInvalidCredentials, "%s refuses the sign-in", o.provider)
}

// oauthChallenge is PKCE's S256 (RFC 7636, section 4.2).
func oauthChallenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
