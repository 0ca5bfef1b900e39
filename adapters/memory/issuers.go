package memory

import (
	"context"
	"crypto/subtle"
	"net/url"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

// Issuers are OpenID providers by the addresses of their issuers. Each is there once AddPerson adds
// somebody; Approve replaces its consent page.
type Issuers struct {
	mu     sync.Mutex
	people map[string]map[string]oauth.Statement // issuer → subject
	codes  map[string]issuerConsent
	down   bool
}

type issuerConsent struct {
	oauthConsent
	issuer, client string
}

var _ oauth.Issuers = (*Issuers)(nil)

// NewIssuers returns no issuers.
func NewIssuers() *Issuers {
	return &Issuers{people: map[string]map[string]oauth.Statement{}, codes: map[string]issuerConsent{}}
}

// AddPerson lets an issuer know a person, or replaces the one of that subject.
func (i *Issuers) AddPerson(issuer string, person oauth.Statement) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.people[issuer] == nil {
		i.people[issuer] = map[string]oauth.Statement{}
	}
	i.people[issuer][person.Subject] = person
}

// SetDown makes all issuers unavailable, or available again.
func (i *Issuers) SetDown(down bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.down = down
}

// Approve acts as the person with the subject on the consent page of an AuthorizeURL, and agrees.
// It returns where the browser is sent back to, with "code", "state" and "iss". A page or person
// that nobody knows has code core.CodeInvalidRequest.
func (i *Issuers) Approve(authorizeURL, subject string) (string, error) {
	page, err := url.Parse(authorizeURL)
	if err != nil {
		return "", core.Errorf(core.CodeInvalidRequest, "this is not a page of an issuer")
	}
	asked := page.Query()
	page.RawQuery = ""
	issuer := strings.TrimSuffix(page.String(), "/authorize")
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, known := i.people[issuer][subject]; !known {
		return "", core.Errorf(core.CodeInvalidRequest, "%s has no person with that subject", issuer)
	}
	code := core.NewSecret()
	i.codes[code] = issuerConsent{oauthConsent{subject, asked.Get("code_challenge"), asked.Get("nonce")}, issuer, asked.Get("client_id")}
	back, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil {
		return "", core.Wrap(core.CodeInvalidRequest, err, "the callback is not a URL")
	}
	answer := back.Query()
	answer.Set("code", code)
	answer.Set("state", asked.Get("state"))
	answer.Set("iss", issuer)
	back.RawQuery = answer.Encode()
	return back.String(), nil
}

// AuthorizeURL implements oauth.Issuers.
func (i *Issuers) AuthorizeURL(ctx context.Context, issuer oauth.Issuer, attempt oauth.Attempt) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.reached(ctx, issuer); err != nil {
		return "", err
	}
	query := url.Values{
		"response_type": {"code"}, "client_id": {issuer.ClientID}, "redirect_uri": {issuer.RedirectURI}, "state": {attempt.State}, "nonce": {attempt.Nonce},
		"scope":          {strings.Join(append([]string{"openid", "email", "profile"}, issuer.Scopes...), " ")},
		"code_challenge": {oauthChallenge(attempt.Verifier)}, "code_challenge_method": {"S256"},
	}
	return issuer.URL + "/authorize?" + query.Encode(), nil
}

// Identify implements oauth.Issuers. It spends a code, even if it comes in a wrong attempt.
func (i *Issuers) Identify(ctx context.Context, issuer oauth.Issuer, attempt oauth.Attempt, back oauth.Return) (oauth.Statement, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.reached(ctx, issuer); err != nil {
		return oauth.Statement{}, err
	}
	consent, known := i.codes[back.Code]
	delete(i.codes, back.Code)
	verified := subtle.ConstantTimeCompare([]byte(consent.challenge), []byte(oauthChallenge(attempt.Verifier))) == 1
	ours := consent.issuer == issuer.URL && consent.client == issuer.ClientID && (back.Issuer == "" || back.Issuer == issuer.URL)
	if !known || !verified || !ours || consent.nonce != attempt.Nonce {
		return oauth.Statement{}, core.Errorf(core.CodeInvalidCredentials, "%s refused the sign-in", issuer.URL)
	}
	said := i.people[issuer.URL][consent.subject]
	if issuer.GroupsClaim == "" {
		said.Groups = nil
	}
	said.IDToken = "identity of " + said.Subject
	return said, nil
}

// SignOutURL implements oauth.Issuers.
func (i *Issuers) SignOutURL(ctx context.Context, issuer oauth.Issuer, hint, returnTo string) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.reached(ctx, issuer); err != nil {
		return "", err
	}
	query := url.Values{"client_id": {issuer.ClientID}, "post_logout_redirect_uri": {returnTo}}
	if hint != "" {
		query.Set("id_token_hint", hint)
	}
	return issuer.URL + "/end?" + query.Encode(), nil
}

// Test implements oauth.Issuers.
func (i *Issuers) Test(ctx context.Context, issuer oauth.Issuer) []oauth.Problem {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.reached(ctx, issuer); err != nil {
		return []oauth.Problem{{Kind: oauth.ProblemUnreachable, Detail: err.Error(), Blocks: true}}
	}
	return nil
}

func (i *Issuers) reached(ctx context.Context, issuer oauth.Issuer) error {
	if err := ctx.Err(); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "%s could not be reached in time", issuer.URL)
	}
	if i.down || i.people[issuer.URL] == nil {
		return core.Errorf(core.CodeUnavailable, "%s did not answer", issuer.URL)
	}
	return nil
}
