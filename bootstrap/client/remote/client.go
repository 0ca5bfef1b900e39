package remote

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// connectTime bounds how long a connection may take to come about.
	connectTime = 15 * time.Second
	// answerTime bounds an answer that is not a stream. Publishing builds the project first.
	answerTime = 30 * time.Minute
	// maxAnswerBytes bounds an answer that is kept in memory.
	maxAnswerBytes = 64 << 20
	// freshTime is how long an access token must still be valid to be used.
	freshTime = time.Minute
)

// Credential authenticates the calls of a person: an API token, or the two tokens of a session.
type Credential struct {
	Token   string `json:"token,omitempty"`
	Access  string `json:"accessToken,omitempty"`
	Refresh string `json:"refreshToken,omitempty"`
}

// bearer is what goes into the Authorization header.
func (c Credential) bearer() string {
	if c.Token != "" {
		return c.Token
	}
	return c.Access
}

// Client calls one installation.
type Client struct {
	base       string
	version    string
	http       *http.Client
	credential Credential
	// renew replaces a session's tokens, where they are kept, by those that exchange returns
	// for the refresh token kept there.
	renew Renewal
}

// Renewal renews a session: it calls exchange with the credential that is kept, and keeps the
// result. It returns what is then kept, also if another process has renewed it since stale.
type Renewal func(ctx context.Context, stale Credential, exchange func(Credential) (Credential, error)) (Credential, error)

// New returns a client of the installation at base, an address that ParseBase returned. Version
// is this program's. renew may be nil if the credential is an API token.
func New(base, version string, credential Credential, renew Renewal) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: connectTime}).DialContext
	return &Client{base: base, version: version, credential: credential, renew: renew, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ParseBase reads the address of an installation as people type it. Without a scheme it is
// https, on this machine http. Plain http to another machine is refused unless allowed.
func ParseBase(text string, plain bool) (string, error) {
	if !strings.Contains(text, "://") {
		scheme := "https://"
		if at, err := url.Parse("http://" + text); err == nil && isLoopback(at.Hostname()) {
			scheme = "http://"
		}
		text = scheme + text
	}
	at, err := url.Parse(text)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http":
		return "", errors.New("the address of an installation is like https://atelier.example.com")
	case at.User != nil:
		return "", errors.New("leave user name and password out of the address: atelier login asks for them")
	case at.RawQuery != "" || at.Fragment != "":
		return "", errors.New("the address of an installation has no query and no fragment")
	case at.Scheme == "http" && !plain && !isLoopback(at.Hostname()):
		return "", errors.New("http:// would send your credentials readable by everybody on the way: use https://, or add --plain-http on a network that you trust")
	}
	return strings.ToLower(at.Scheme+"://"+at.Host) + strings.TrimRight(at.EscapedPath(), "/"), nil
}

func isLoopback(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || address != nil && address.IsLoopback()
}

// Base is the address of the installation, without a slash at its end.
func (c *Client) Base() string { return c.base }

// HTTP is the client for requests of other protocols. It follows no redirect.
func (c *Client) HTTP() *http.Client { return c.http }

// Call sends a request, with body as JSON unless it is nil, and returns the answer's JSON,
// which is empty for 204. An answer that is not a success is a *Failure.
func (c *Client) Call(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	asked, err := asJSON(method, path, body)
	if err != nil {
		return nil, err
	}
	response, err := c.open(ctx, asked)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if response.StatusCode != http.StatusNoContent && !json.Valid(text) {
		return nil, &Failure{Status: response.StatusCode, Code: CodeNoInstallation, Message: c.base + " does not answer as an installation of Atelier does"}
	}
	return text, nil
}

// Get is Call with GET, and decodes the answer.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	return c.Do(ctx, http.MethodGet, path, nil, into)
}

// Do is Call, and decodes the answer unless into is nil.
func (c *Client) Do(ctx context.Context, method, path string, body, into any) error {
	text, err := c.Call(ctx, method, path, body)
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &Failure{Code: CodeNoInstallation, Message: fmt.Sprintf("%s answers %s %s in a form that this version does not know", c.base, method, path)}
	}
	return nil
}

// request is what is sent. The header has names and values in turn.
type request struct {
	method, path string
	body         []byte
	header       []string
}

// asJSON is a request with a body as JSON, without one for nil.
func asJSON(method, path string, body any) (request, error) {
	if body == nil {
		return request{method: method, path: path}, nil
	}
	text, err := json.Marshal(body)
	return request{method, path, text, []string{"Content-Type", "application/json"}}, err
}

// open sends a request, once more if a session had to be renewed.
func (c *Client) open(ctx context.Context, asked request) (*http.Response, error) {
	if _, err := c.Bearer(ctx); err != nil {
		return nil, err
	}
	response, err := c.send(ctx, asked)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusUnauthorized && c.credential.Refresh != "" {
		_ = response.Body.Close()
		if err := c.refresh(ctx); err != nil {
			return nil, err
		}
		if response, err = c.send(ctx, asked); err != nil {
			return nil, err
		}
	}
	if response.StatusCode/100 != 2 {
		defer response.Body.Close()
		return nil, failureOf(response, c.base)
	}
	return response, nil
}

func (c *Client) send(ctx context.Context, asked request) (*http.Response, error) {
	made, err := http.NewRequestWithContext(ctx, asked.method, c.base+asked.path, bytes.NewReader(asked.body))
	if err != nil {
		return nil, err
	}
	made.Header.Set("User-Agent", "atelier/"+c.version)
	for i := 0; i+1 < len(asked.header); i += 2 {
		made.Header.Set(asked.header[i], asked.header[i+1])
	}
	if bearer := c.credential.bearer(); bearer != "" {
		made.Header.Set("Authorization", "Bearer "+bearer)
	}
	response, err := c.http.Do(made)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	return response, nil
}

// unreachable is the failure of a call without an answer.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Canceled
	}
	if inner := (*url.Error)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return &Failure{Code: CodeUnreachable, Message: fmt.Sprintf("%s cannot be reached: %v", c.base, err)}
}

// Bearer returns what authenticates a request of another protocol, such as git's, for at least
// a minute.
func (c *Client) Bearer(ctx context.Context) (string, error) {
	if c.credential.Refresh != "" && time.Until(expiry(c.credential.Access)) < freshTime {
		if err := c.refresh(ctx); err != nil {
			return "", err
		}
	}
	return c.credential.bearer(), nil
}

// refresh exchanges the tokens of a session for new ones.
func (c *Client) refresh(ctx context.Context) error {
	renewed, err := c.renew(ctx, c.credential, func(kept Credential) (Credential, error) {
		asked, err := asJSON(http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": kept.Refresh})
		if err != nil {
			return Credential{}, err
		}
		anonymous := &Client{base: c.base, version: c.version, http: c.http}
		response, err := anonymous.send(ctx, asked)
		if err != nil {
			return Credential{}, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return Credential{}, failureOf(response, c.base)
		}
		var made Credential
		err = json.NewDecoder(io.LimitReader(response.Body, maxFailureBytes)).Decode(&made)
		return made, err
	})
	if err == nil {
		c.credential = renewed
	}
	return err
}

// expiry is when an access token ends. The service checks tokens, so that this reads only what
// they say; it is the zero time if they say nothing.
func expiry(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Expires int64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return time.Time{}
	}
	return time.Unix(claims.Expires, 0)
}
