// Package oauth asks providers of OAuth who somebody is, for the engine in memory. It speaks OpenID
// Connect with the addresses that a provider was given, and knows no addresses of its own.
package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	port "github.com/atelierhq/atelier/ports/backend"
)

// maxBytes bounds an answer.
const maxBytes = 1 << 20

// Person is whom a provider has vouched for. Email is empty unless the provider has verified it.
type Person struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Username  string `json:"username"`
	Email     string `json:"email"`
	AvatarURL string `json:"avatarURL"`
}

// Attempt is what a page has after its browser has come back from the provider.
type Attempt struct{ Code, Verifier, Redirect string }

// Client asks providers.
type Client struct{ http *http.Client }

// NewClient returns a client over the transport of another, which may be nil.
func NewClient(over *http.Client) Client {
	c := &http.Client{Transport: noTransport{}}
	if over != nil {
		c.Transport = over.Transport
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return Client{c}
}

// noTransport is an http.RoundTripper that reaches nothing.
type noTransport struct{}

// RoundTrip implements http.RoundTripper.
func (noTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("there is no client for providers")
}

// AuthURL is where a browser is sent. The page adds where it comes back to.
func AuthURL(provider port.SignInProvider, state, challenge string) string {
	query := url.Values{"client_id": {provider.ClientID}, "response_type": {"code"}, "scope": {"openid email profile"}, "state": {state}}
	if challenge != "" {
		query.Set("code_challenge", challenge)
		query.Set("code_challenge_method", "S256")
	}
	return provider.AuthURL + "?" + query.Encode() + "&redirect_uri="
}

// Identify exchanges a code, and returns whose it is.
func (c Client) Identify(ctx context.Context, provider port.SignInProvider, with Attempt) (Person, error) {
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {with.Code}, "redirect_uri": {with.Redirect},
		"client_id": {provider.ClientID}, "client_secret": {provider.ClientSecret},
	}
	if provider.PKCE == nil || *provider.PKCE {
		form.Set("code_verifier", with.Verifier)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, provider.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return Person{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var tokens struct {
		Access string `json:"access_token"`
	}
	if err := c.decode(r, &tokens); err != nil {
		return Person{}, err
	}
	if r, err = http.NewRequestWithContext(ctx, http.MethodGet, provider.UserInfoURL, nil); err != nil {
		return Person{}, err
	}
	r.Header.Set("Authorization", "Bearer "+tokens.Access)
	var claims struct {
		Subject  string `json:"sub"`
		Name     string `json:"name"`
		Username string `json:"preferred_username"`
		Picture  string `json:"picture"`
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if err := c.decode(r, &claims); err != nil {
		return Person{}, err
	}
	if claims.Subject == "" {
		return Person{}, errors.New("the provider did not say who it is")
	}
	who := Person{claims.Subject, claims.Name, claims.Username, "", claims.Picture}
	if claims.Verified {
		who.Email = claims.Email
	}
	return who, nil
}

// Picture fetches a picture, and returns a name for it.
func (c Client) Picture(ctx context.Context, address string) (name string, content []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", nil, err
	}
	content, err = c.fetch(r)
	return path.Base(r.URL.Path), content, err
}

func (c Client) decode(r *http.Request, into any) error {
	text, err := c.fetch(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// fetch returns the body of an answer with status 200.
func (c Client) fetch(r *http.Request) ([]byte, error) {
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New("the provider answered " + answer.Status)
	}
	return io.ReadAll(http.MaxBytesReader(nil, answer.Body, maxBytes))
}
