package oauth

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"golang.org/x/oauth2"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

// maxSecretBytes bounds codes and tokens. A code comes from the browser.
const maxSecretBytes = 16 << 10

// Client is this service as an OAuth client of a provider.
type Client struct {
	ID     string
	Secret string
	// RedirectURI is where browsers are redirected afterwards, exactly as registered at
	// the provider.
	RedirectURI string
}

// relyingParty is one provider, with this service as its client.
type relyingParty struct {
	providerName
	client Client
	http   *http.Client
}

func newRelyingParty(provider providerName, client Client, base *http.Transport) relyingParty {
	return relyingParty{provider, client, newHTTPClient(provider, bounded(base))}
}

func (p relyingParty) oauthConfig(endpoint oauth2.Endpoint, scopes ...string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.client.ID, ClientSecret: p.client.Secret, RedirectURL: p.client.RedirectURI,
		Endpoint: endpoint, Scopes: scopes,
	}
}

// context makes the OAuth libraries use the party's HTTP client.
func (p relyingParty) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, p.http)
}

// redeem exchanges the code of an attempt for a token.
func (p relyingParty) redeem(ctx context.Context, config *oauth2.Config, attempt oauth.Attempt, code string) (*oauth2.Token, error) {
	if code == "" || len(code) > maxSecretBytes || attempt.Verifier == "" {
		return nil, p.refused("the browser sent no valid code")
	}
	return p.checked(config.Exchange(p.context(ctx), code, oauth2.VerifierOption(attempt.Verifier)))
}

// refresh exchanges a refresh token for a token. The library keeps the old refresh token
// if the provider returns no new one.
func (p relyingParty) refresh(ctx context.Context, config *oauth2.Config, refreshToken string) (*oauth2.Token, error) {
	if refreshToken == "" || len(refreshToken) > maxSecretBytes {
		return nil, p.refused("there is no refresh token")
	}
	return p.checked(config.TokenSource(p.context(ctx), &oauth2.Token{RefreshToken: refreshToken}).Token())
}

// checked validates an answer of the token endpoint against RFC 6749, section 5.1, and
// RFC 6750 (bearer tokens).
func (p relyingParty) checked(token *oauth2.Token, err error) (*oauth2.Token, error) {
	switch {
	case err != nil:
		return nil, p.known(err)
	case !strings.EqualFold(token.TokenType, "bearer"):
		return nil, p.refused("its token is not of the type bearer")
	case !isTokenText(token.AccessToken) || token.RefreshToken != "" && !isTokenText(token.RefreshToken):
		return nil, p.refused("its token has invalid characters")
	}
	return token, nil
}

// known returns the error that the exchange gave a failure. An answer that it accepted,
// but that a library could not parse, violates the protocol.
func (p relyingParty) known(err error) error {
	var failure *core.Error
	if errors.As(err, &failure) {
		return failure
	}
	return p.refused("its answer has no token")
}

// isTokenText reports whether text consists of a bounded number of visible ASCII
// characters (RFC 6749, appendix A).
func isTokenText(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return text != "" && len(text) <= maxSecretBytes
}
