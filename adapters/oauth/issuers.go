package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/oauth"
)

// maxParties bounds the issuers whose documents and keys are cached.
const maxParties = 100

// Issuers signs people in at issuers that admins of the installation configure. All calls, also
// those to addresses that a discovery document names, go through the guard.
type Issuers struct {
	transport http.RoundTripper
	now       func() time.Time

	mu      sync.Mutex
	parties map[string]*openID
}

var _ oauth.Issuers = (*Issuers)(nil)

// NewIssuers returns the issuers. It does not use the network yet.
func NewIssuers(guard netguard.Guard, now func() time.Time) *Issuers {
	return &Issuers{transport: guard.Client().Transport, now: now, parties: map[string]*openID{}}
}

// party returns the cached client of an issuer.
func (i *Issuers) party(issuer oauth.Issuer) *openID {
	key := strings.Join(append([]string{issuer.URL, issuer.ClientID, core.HashSecret(issuer.ClientSecret), issuer.RedirectURI}, issuer.Scopes...), "\n")
	i.mu.Lock()
	defer i.mu.Unlock()
	if known := i.parties[key]; known != nil {
		return known
	}
	if len(i.parties) >= maxParties {
		clear(i.parties)
	}
	i.parties[key] = i.newParty(issuer)
	return i.parties[key]
}

func (i *Issuers) newParty(issuer oauth.Issuer) *openID {
	name := providerName(issuer.URL)
	return &openID{
		relyingParty: relyingParty{name, Client{ID: issuer.ClientID, Secret: issuer.ClientSecret, RedirectURI: issuer.RedirectURI}, newHTTPClient(name, i.transport)},
		issuer:       issuer.URL, algorithms: []string{oidc.RS256, oidc.ES256, oidc.EdDSA}, scopes: issuer.Scopes, now: i.now,
	}
}

// AuthorizeURL implements oauth.Issuers.
func (i *Issuers) AuthorizeURL(ctx context.Context, issuer oauth.Issuer, attempt oauth.Attempt) (string, error) {
	return i.party(issuer).authorizeURL(ctx, attempt)
}

// Identify implements oauth.Issuers. What the identity token lacks is asked of the userinfo
// endpoint, where many issuers put e-mail and groups.
func (i *Issuers) Identify(ctx context.Context, issuer oauth.Issuer, attempt oauth.Attempt, back oauth.Return) (oauth.Statement, error) {
	party := i.party(issuer)
	found, err := party.discover(ctx)
	if err != nil {
		return oauth.Statement{}, err
	}
	if back.Issuer != "" && back.Issuer != issuer.URL || back.Issuer == "" && found.saysIssuer {
		return oauth.Statement{}, party.refused("the browser returned from another issuer")
	}
	proof, err := party.prove(ctx, attempt, back.Code)
	if err != nil {
		return oauth.Statement{}, err
	}
	set, err := party.completed(ctx, proof, issuer.GroupsClaim)
	if err != nil {
		return oauth.Statement{}, err
	}
	statement := oauth.Statement{IDToken: proof.idToken}
	if statement.Profile, err = set.profile(); err != nil {
		return oauth.Statement{}, party.refused("its identity token is invalid: %w", err)
	}
	statement.EmailDenied = set.has("email_verified") && !set.isTrue("email_verified")
	if statement.Groups, err = set.groups(issuer.GroupsClaim); err != nil {
		var told *core.Error
		if errors.As(err, &told) {
			return oauth.Statement{}, told
		}
		return oauth.Statement{}, party.refused("its identity token is invalid: %w", err)
	}
	return statement, nil
}

// completed adds what the userinfo endpoint says to the claims of the identity token, which win.
func (g *openID) completed(ctx context.Context, proof proof, groupsClaim string) (claims, error) {
	set := proof.claims
	if proof.found.userInfo == "" || set.has("email") && (groupsClaim == "" || set.at(groupsClaim) != nil || set.overflows(groupsClaim)) {
		return set, nil
	}
	more, err := g.userInfo(ctx, proof)
	if err != nil {
		return nil, err
	}
	if string(more["sub"]) != string(set["sub"]) {
		return nil, g.refused("its userinfo is of another person")
	}
	for name, value := range set {
		// A null is as good as nothing, and an address comes with its own verification.
		if string(value) != "null" && (name != "email_verified" || set.has("email")) {
			more[name] = value
		}
	}
	return more, nil
}

// SignOutURL implements oauth.Issuers (OpenID Connect RP-Initiated Logout 1.0).
func (i *Issuers) SignOutURL(ctx context.Context, issuer oauth.Issuer, hint, returnTo string) (string, error) {
	found, err := i.party(issuer).discover(ctx)
	if err != nil || found.endSession == "" {
		return "", err
	}
	address, err := url.Parse(found.endSession)
	if err != nil {
		return "", i.party(issuer).down("its end_session_endpoint is no address")
	}
	query := address.Query()
	query.Set("client_id", issuer.ClientID)
	query.Set("post_logout_redirect_uri", returnTo)
	if hint != "" {
		query.Set("id_token_hint", hint)
	}
	address.RawQuery = query.Encode()
	return address.String(), nil
}

// Test implements oauth.Issuers.
func (i *Issuers) Test(ctx context.Context, issuer oauth.Issuer) []oauth.Problem {
	party := i.newParty(issuer)
	found, err := party.discover(ctx)
	if err != nil {
		return []oauth.Problem{problemOf(err)}
	}
	var problems []oauth.Problem
	if err := party.checkKeys(ctx, found); err != nil {
		problems = append(problems, *err)
	}
	if err := party.checkClient(ctx, found); err != nil {
		problems = append(problems, *err)
	}
	var missing []string
	for _, scope := range append([]string{oidc.ScopeOpenID}, issuer.Scopes...) {
		if len(found.scopes) > 0 && !slices.Contains(found.scopes, scope) {
			missing = append(missing, scope)
		}
	}
	if len(missing) > 0 {
		problems = append(problems, oauth.Problem{Kind: oauth.ProblemScopes, Detail: "scopes_supported lacks " + strings.Join(missing, ", ")})
	}
	if found.endSession == "" {
		problems = append(problems, oauth.Problem{Kind: oauth.ProblemSignOut, Detail: "the discovery document has no end_session_endpoint"})
	}
	return problems
}

// problemOf says what an error means to the person who configures an issuer. The causes of errors
// here quote nothing that the issuer sent.
func problemOf(err error) oauth.Problem {
	problem := oauth.Problem{Kind: oauth.ProblemUnreachable, Detail: causeOf(err), Blocks: true}
	switch {
	case isForbidden(err):
		problem.Kind = oauth.ProblemForbiddenAddress
	case errors.Is(err, errOtherIssuer):
		problem.Kind = oauth.ProblemIssuer
	case errors.Is(err, errDocument):
		problem.Kind = oauth.ProblemDocument
	}
	return problem
}

// causeOf returns the text of the innermost cause with words of ours.
func causeOf(err error) string {
	var known *core.Error
	for errors.As(err, &known) && known.Cause != nil {
		err = known.Cause
	}
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

func isForbidden(err error) bool {
	for err != nil {
		var known *core.Error
		if !errors.As(err, &known) {
			return false
		}
		if known.Code == core.CodeForbiddenAddress {
			return true
		}
		err = known.Cause
	}
	return false
}
