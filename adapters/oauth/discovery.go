package oauth

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/atelierhq/atelier/core"
)

// discoveryLife is how long a discovery document and its keys are cached. New keys are
// fetched as soon as a token names one; this bounds how long a withdrawn key is still
// trusted.
const discoveryLife = time.Hour

// discovery is the content of an issuer's document.
type discovery struct {
	endpoint oauth2.Endpoint
	keys     oidc.KeySet
	keysURL  string
	at       time.Time
	// userInfo, endSession and revocation are "" if there are none.
	userInfo, endSession, revocation string
	// saysIssuer means that browsers bring back the parameter iss (RFC 9207).
	saysIssuer bool
	scopes     []string
}

// The faults of discovery documents.
var (
	errOtherIssuer = errors.New("it names another issuer: the two must match exactly")
	errDocument    = errors.New("it is invalid")
)

// discover returns the issuer's document. Concurrent callers share one fetch (single
// flight). A failure is not cached: the next caller tries again.
func (g *openID) discover(ctx context.Context) (*discovery, error) {
	if found := g.found.Load(); found != nil && g.now().Sub(found.at) < discoveryLife {
		return found, nil
	}
	// The first caller may leave without the others losing their answer. The keys are
	// fetched in this context again, long after this call.
	lasting := g.context(context.WithoutCancel(ctx))
	call := g.fetching.Start(ctx, struct{}{}, func(context.Context) (*discovery, error) {
		found, err := g.fetchDocument(lasting)
		if err == nil {
			g.found.Store(found)
		}
		return found, err
	})
	found, err := call.Wait(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, g.broken(ctx, ctx.Err())
	}
	return found, err
}

// fetchDocument reads the document and the addresses in it. Any failure means that nobody
// can sign in, and is no fault of the person.
func (g *openID) fetchDocument(ctx context.Context) (*discovery, error) {
	provider, err := oidc.NewProvider(ctx, g.issuer)
	if err != nil {
		return nil, g.undiscovered(err)
	}
	var document struct {
		Keys       string   `json:"jwks_uri"`
		Methods    []string `json:"token_endpoint_auth_methods_supported"`
		UserInfo   string   `json:"userinfo_endpoint"`
		EndSession string   `json:"end_session_endpoint"`
		Revocation string   `json:"revocation_endpoint"`
		SaysIssuer bool     `json:"authorization_response_iss_parameter_supported"`
		Scopes     []string `json:"scopes_supported"`
	}
	if err := provider.Claims(&document); err != nil {
		return nil, g.undiscovered(err)
	}
	endpoint := provider.Endpoint()
	for _, address := range []string{endpoint.AuthURL, endpoint.TokenURL, document.Keys} {
		if !isEndpoint(address, g.issuer) {
			return nil, g.down("the discovery document of %q lacks an address, or has an unsafe one: %w", g.issuer, errDocument)
		}
	}
	// The library's default, which tries both ways, would send the code twice.
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if slices.Contains(document.Methods, "client_secret_post") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	found := discovery{
		endpoint: endpoint, keys: oidc.NewRemoteKeySet(ctx, document.Keys), keysURL: document.Keys, at: g.now(),
		saysIssuer: document.SaysIssuer, scopes: document.Scopes,
	}
	for _, optional := range []struct {
		from string
		into *string
	}{{document.UserInfo, &found.userInfo}, {document.EndSession, &found.endSession}, {document.Revocation, &found.revocation}} {
		if isEndpoint(optional.from, g.issuer) {
			*optional.into = optional.from
		}
	}
	return &found, nil
}

func (g *openID) undiscovered(err error) error {
	var failure *core.Error
	var other *oidc.IssuerMismatchError
	switch {
	case errors.As(err, &failure) && failure.Code == core.CodeUnavailable:
		return failure
	case errors.As(err, &other):
		return g.down("the discovery document of %q: %w", g.issuer, errOtherIssuer)
	}
	return g.down("the discovery document of %q: %w", g.issuer, errDocument)
}

// isEndpoint reports whether an address in a document is usable: over https, unless the
// operator configured the issuer itself without.
func isEndpoint(address, issuer string) bool {
	from, err := url.Parse(issuer)
	if err != nil {
		return false
	}
	to, err := url.Parse(address)
	if err != nil || to.Host == "" || to.User != nil || to.Fragment != "" {
		return false
	}
	return to.Scheme == "https" || to.Scheme == "http" && from.Scheme == "http"
}
