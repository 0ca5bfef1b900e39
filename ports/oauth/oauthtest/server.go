package oauthtest

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

// The client that a Server knows.
const (
	ClientID     = "atelier-client"
	ClientSecret = "client-secret-that-nobody-may-see"
)

// The paths at which a Server answers: as GitHub, whose API is below /api, and as
// an OpenID issuer.
const (
	AuthorizePath   = "/authorize"
	GitHubTokenPath = "/login/oauth/access_token"
	UserPath        = "/api/user"
	EmailsPath      = "/api/user/emails"
	DiscoveryPath   = "/.well-known/openid-configuration"
	KeysPath        = "/keys"
	TokenPath       = "/token"
)

// Server is an HTTP server that is GitHub and an OpenID issuer in one, for people
// that a test adds. It holds clients to the protocols: redirect URI, secret, PKCE,
// codes that work once. A test can make it lie.
type Server struct {
	URL string

	mu       sync.Mutex
	now      func() time.Time
	people   map[string]oauth.Profile
	codes    map[string]consent
	holders  map[string]string // access token → subject
	refresh  map[string]string // refresh token → subject
	lifetime time.Duration
	rotates  bool
	down     bool
	key      *Key
	forge    func(claims map[string]any) string
	answers  map[string]http.HandlerFunc
	amends   map[string]func(any) any
	names    map[string]string // path → media type
	requests []Request
	given    []string
}

var _ Granter = (*Server)(nil)

// Request is one that reached the server.
type Request struct {
	Path   string
	Header http.Header
	Form   url.Values
}

// consent is the consent behind a code.
type consent struct {
	subject string
	asked   url.Values
}

// NewServer returns the server that answers at an address.
func NewServer(address string, now func() time.Time) *Server {
	return &Server{
		URL: address, now: now, people: map[string]oauth.Profile{}, codes: map[string]consent{},
		holders: map[string]string{}, refresh: map[string]string{}, key: KeyNumber(0),
		answers: map[string]http.HandlerFunc{}, amends: map[string]func(any) any{}, names: map[string]string{},
	}
}

// Serve starts a server that lives as long as the test.
func Serve(t testing.TB, now func() time.Time) *Server {
	listener := httptest.NewUnstartedServer(nil)
	server := NewServer("http://"+listener.Listener.Addr().String(), now)
	listener.Config.Handler = server
	listener.Start()
	t.Cleanup(listener.Close)
	return server
}

// AddPerson implements Provider. The subject is a number.
func (s *Server) AddPerson(profile oauth.Profile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.people[profile.Subject] = profile
}

// SetDown implements Provider: connections break.
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// SetTokens implements Granting.
func (s *Server) SetTokens(lifetime time.Duration, rotates bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lifetime, s.rotates = lifetime, rotates
}

// Holder implements Granting.
func (s *Server) Holder(accessToken string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holders[accessToken]
}

// SetKey lets the issuer sign with another key, and publish that one alone.
func (s *Server) SetKey(key *Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
}

// Forge lets forge make the identity tokens of honest claims.
func (s *Server) Forge(forge func(claims map[string]any) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forge = forge
}

// Answer replaces the handler of a path; nil restores the honest one.
func (s *Server) Answer(path string, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = answer
}

// Amend changes the JSON of a path's honest answers.
func (s *Server) Amend(path string, amend func(any) any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.amends[path] = amend
}

// Name gives a path's answers another media type.
func (s *Server) Name(path, mediaType string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[path] = mediaType
}

// Requests returns those that a path got.
func (s *Server) Requests(path string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.requests), func(r Request) bool { return r.Path != path })
}

// Secrets returns all that no error and no log may show: the client's secret, every
// code and token that the server gave, and every verifier that it got.
func (s *Server) Secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	secrets := append([]string{ClientSecret}, s.given...)
	for _, request := range s.requests {
		secrets = append(secrets, request.Form["code_verifier"]...)
	}
	return secrets
}

// Approve implements Provider.
func (s *Server) Approve(authorizeURL, subject string) (string, error) {
	page, err := url.Parse(authorizeURL)
	if err != nil || s.URL+AuthorizePath != page.Scheme+"://"+page.Host+page.Path {
		return "", core.Errorf(core.CodeInvalidRequest, "%q is not a page of this provider", authorizeURL)
	}
	asked := page.Query()
	back, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil || asked.Get("client_id") != ClientID || asked.Get("response_type") != "code" {
		return "", core.Errorf(core.CodeInvalidRequest, "%q is not a request for a code", authorizeURL)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.people[subject]; !known {
		return "", core.Errorf(core.CodeInvalidRequest, "there is no person %q", subject)
	}
	code := s.secret("")
	s.codes[code] = consent{subject, asked}
	query := back.Query()
	query.Set("code", code)
	query.Set("state", asked.Get("state"))
	back.RawQuery = query.Encode()
	return back.String(), nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.URL.Path, r.Header.Clone(), maps.Clone(r.Form)})
	down, answer, amend, name := s.down, s.answers[r.URL.Path], s.amends[r.URL.Path], s.names[r.URL.Path]
	s.mu.Unlock()
	switch {
	case down:
		panic(http.ErrAbortHandler)
	case answer != nil:
		answer(w, r)
		return
	}
	status, value := s.honest(r)
	if amend != nil && status == http.StatusOK {
		value = amend(value)
	}
	w.Header().Set("Content-Type", cmp.Or(name, "application/json; charset=utf-8"))
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func (s *Server) honest(r *http.Request) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.URL.Path {
	case GitHubTokenPath:
		return http.StatusOK, s.gitHubToken(r)
	case TokenPath:
		return s.issuerToken(r)
	case UserPath:
		return s.asHolder(r, gitHubUser)
	case EmailsPath:
		return s.asHolder(r, gitHubEmails)
	case DiscoveryPath:
		return http.StatusOK, map[string]any{
			"issuer": s.URL, "authorization_endpoint": s.URL + AuthorizePath, "token_endpoint": s.URL + TokenPath,
			"jwks_uri": s.URL + KeysPath, "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
			"token_endpoint_auth_methods_supported": []string{"client_secret_post", "client_secret_basic"},
		}
	case KeysPath:
		return http.StatusOK, map[string]any{"keys": []any{s.key.JWK()}}
	}
	return http.StatusNotFound, map[string]any{"message": "Not Found"}
}

// gitHubToken answers as GitHub does: failures, too, have status 200.
func (s *Server) gitHubToken(r *http.Request) any {
	if !isClient(r) {
		return map[string]any{"error": "incorrect_client_credentials", "error_description": "The client_id and/or client_secret passed are incorrect."}
	}
	if r.PostForm.Get("grant_type") == "refresh_token" {
		subject, known := s.refresh[r.PostForm.Get("refresh_token")]
		if !known {
			return map[string]any{"error": "bad_refresh_token", "error_description": "bad " + r.PostForm.Get("refresh_token")}
		}
		return s.grant(subject, r.PostForm.Get("refresh_token"))
	}
	consent, ok := s.spend(r)
	if !ok {
		return map[string]any{"error": "bad_verification_code", "error_description": "bad " + r.PostForm.Get("code")}
	}
	return s.grant(consent.subject, "")
}

// issuerToken answers as RFC 6749, section 5, says.
func (s *Server) issuerToken(r *http.Request) (int, any) {
	if !isClient(r) {
		return http.StatusUnauthorized, map[string]any{"error": "invalid_client"}
	}
	consent, ok := s.spend(r)
	if !ok {
		return http.StatusBadRequest, map[string]any{"error": "invalid_grant", "error_description": "bad " + r.PostForm.Get("code")}
	}
	answer := s.grant(consent.subject, "")
	claims := s.claims(consent, answer["access_token"].(string))
	forge := s.forge
	if forge == nil {
		forge = s.key.Sign
	}
	answer["id_token"], answer["expires_in"] = forge(claims), 3600
	s.given = append(s.given, answer["id_token"].(string))
	return http.StatusOK, answer
}

func (s *Server) claims(consent consent, accessToken string) map[string]any {
	person, now := s.people[consent.subject], s.now()
	sum := sha256.Sum256([]byte(accessToken))
	claims := map[string]any{
		"iss": s.URL, "aud": ClientID, "azp": ClientID, "sub": person.Subject, "nonce": consent.asked.Get("nonce"),
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "at_hash": base64.RawURLEncoding.EncodeToString(sum[:16]),
	}
	if person.Email != "" {
		claims["email"], claims["email_verified"] = person.Email, person.EmailVerified
	}
	if person.Name != "" {
		claims["name"] = person.Name
	}
	if person.AvatarURL != "" {
		claims["picture"] = person.AvatarURL
	}
	return claims
}

// spend redeems a code, and reports whether it matches the request.
func (s *Server) spend(r *http.Request) (consent, bool) {
	consent, known := s.codes[r.PostForm.Get("code")]
	delete(s.codes, r.PostForm.Get("code"))
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	return consent, known && r.PostForm.Get("grant_type") == "authorization_code" &&
		r.PostForm.Get("redirect_uri") == consent.asked.Get("redirect_uri") &&
		consent.asked.Get("code_challenge_method") == "S256" &&
		consent.asked.Get("code_challenge") == base64.RawURLEncoding.EncodeToString(sum[:])
}

func (s *Server) grant(subject, refreshToken string) map[string]any {
	answer := map[string]any{"access_token": s.secret("gho_"), "token_type": "bearer", "scope": "read:user,user:email"}
	s.holders[answer["access_token"].(string)] = subject
	if s.lifetime == 0 {
		return answer
	}
	answer["expires_in"] = int(s.lifetime.Seconds())
	if refreshToken == "" || s.rotates {
		delete(s.refresh, refreshToken)
		refreshToken = s.secret("ghr_")
		s.refresh[refreshToken] = subject
		answer["refresh_token"] = refreshToken
	}
	return answer
}

func (s *Server) secret(prefix string) string {
	secret := prefix + core.NewSecret()
	s.given = append(s.given, secret)
	return secret
}

// asHolder answers for who the token acts for.
func (s *Server) asHolder(r *http.Request, answer func(oauth.Profile) any) (int, any) {
	for token, subject := range s.holders {
		if r.Header.Get("Authorization") == "Bearer "+token {
			return http.StatusOK, answer(s.people[subject])
		}
	}
	return http.StatusUnauthorized, map[string]any{"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest"}
}

// isClient reports whether a request has the client's id and secret, in the
// one way or the other.
func isClient(r *http.Request) bool {
	id, secret := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if user, password, basic := r.BasicAuth(); basic {
		id, secret = user, password
	}
	return r.Method == http.MethodPost && id == ClientID && secret == ClientSecret
}
