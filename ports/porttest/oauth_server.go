package porttest

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

// The client that an OAuthServer knows.
const (
	OAuthClientID     = "atelier-client"
	OAuthClientSecret = "client-secret-that-nobody-may-see"
)

// Where an OAuthServer answers: as GitHub, whose API is below /api, and as an
// OpenID issuer.
const (
	OAuthAuthorizePath   = "/authorize"
	OAuthGitHubTokenPath = "/login/oauth/access_token"
	OAuthUserPath        = "/api/user"
	OAuthEmailsPath      = "/api/user/emails"
	OAuthDiscoveryPath   = "/.well-known/openid-configuration"
	OAuthKeysPath        = "/keys"
	OAuthTokenPath       = "/token"
)

// OAuthServer is an HTTP server that is GitHub and an OpenID issuer in one, for
// people that a test adds. It holds clients to the protocols: redirect URI, secret,
// PKCE, codes that work once. It lies as it is told to.
type OAuthServer struct {
	URL string

	mu       sync.Mutex
	now      func() time.Time
	people   map[string]oauth.Profile
	codes    map[string]oauthConsent
	holders  map[string]string // access token → subject
	refresh  map[string]string // refresh token → subject
	lifetime time.Duration
	rotates  bool
	down     bool
	key      *OAuthKey
	forge    func(claims map[string]any) string
	answers  map[string]http.HandlerFunc
	amends   map[string]func(any) any
	names    map[string]string // path → media type
	requests []OAuthRequest
	given    []string
}

var _ OAuthGranting = (*OAuthServer)(nil)

// OAuthRequest is one that reached the server.
type OAuthRequest struct {
	Path   string
	Header http.Header
	Form   url.Values
}

// oauthConsent is what a code stands for.
type oauthConsent struct {
	subject string
	asked   url.Values
}

// NewOAuthServer returns the server that answers at an address.
func NewOAuthServer(address string, now func() time.Time) *OAuthServer {
	return &OAuthServer{
		URL: address, now: now, people: map[string]oauth.Profile{}, codes: map[string]oauthConsent{},
		holders: map[string]string{}, refresh: map[string]string{}, key: OAuthKeyNumber(0),
		answers: map[string]http.HandlerFunc{}, amends: map[string]func(any) any{}, names: map[string]string{},
	}
}

// ServeOAuth starts a server that lives as long as the test.
func ServeOAuth(t testing.TB, now func() time.Time) *OAuthServer {
	listener := httptest.NewUnstartedServer(nil)
	server := NewOAuthServer("http://"+listener.Listener.Addr().String(), now)
	listener.Config.Handler = server
	listener.Start()
	t.Cleanup(listener.Close)
	return server
}

// AddPerson implements OAuthProvider. The subject is a number.
func (s *OAuthServer) AddPerson(profile oauth.Profile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.people[profile.Subject] = profile
}

// SetDown implements OAuthProvider: connections break.
func (s *OAuthServer) SetDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// SetTokens implements OAuthGranting.
func (s *OAuthServer) SetTokens(lifetime time.Duration, rotates bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lifetime, s.rotates = lifetime, rotates
}

// Holder implements OAuthGranting.
func (s *OAuthServer) Holder(accessToken string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holders[accessToken]
}

// SetKey lets the issuer sign with another key, and publish that one alone.
func (s *OAuthServer) SetKey(key *OAuthKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
}

// Forge lets forge make the identity tokens of honest claims.
func (s *OAuthServer) Forge(forge func(claims map[string]any) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forge = forge
}

// Answer lets answer stand in for a path; nil is the honest one again.
func (s *OAuthServer) Answer(path string, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = answer
}

// Amend changes the JSON of a path's honest answers.
func (s *OAuthServer) Amend(path string, amend func(any) any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.amends[path] = amend
}

// Name lets a path call its answers by another media type.
func (s *OAuthServer) Name(path, mediaType string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[path] = mediaType
}

// Requests returns those that a path got.
func (s *OAuthServer) Requests(path string) []OAuthRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.requests), func(r OAuthRequest) bool { return r.Path != path })
}

// Secrets returns all that no error and no log may show: the client's secret, every
// code and token that the server gave, and every verifier that it got.
func (s *OAuthServer) Secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	secrets := append([]string{OAuthClientSecret}, s.given...)
	for _, request := range s.requests {
		secrets = append(secrets, request.Form["code_verifier"]...)
	}
	return secrets
}

// Approve implements OAuthProvider.
func (s *OAuthServer) Approve(authorizeURL, subject string) (string, error) {
	page, err := url.Parse(authorizeURL)
	if err != nil || s.URL+OAuthAuthorizePath != "http://"+page.Host+page.Path {
		return "", core.Errorf(core.CodeInvalidRequest, "%q is no page of this provider", authorizeURL)
	}
	asked := page.Query()
	back, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil || asked.Get("client_id") != OAuthClientID || asked.Get("response_type") != "code" {
		return "", core.Errorf(core.CodeInvalidRequest, "%q is no request for a code", authorizeURL)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.people[subject]; !known {
		return "", core.Errorf(core.CodeInvalidRequest, "nobody is %q", subject)
	}
	code := s.secret("")
	s.codes[code] = oauthConsent{subject, asked}
	query := back.Query()
	query.Set("code", code)
	query.Set("state", asked.Get("state"))
	back.RawQuery = query.Encode()
	return back.String(), nil
}

// ServeHTTP implements http.Handler.
func (s *OAuthServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	s.requests = append(s.requests, OAuthRequest{r.URL.Path, r.Header.Clone(), maps.Clone(r.Form)})
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

func (s *OAuthServer) honest(r *http.Request) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.URL.Path {
	case OAuthGitHubTokenPath:
		return http.StatusOK, s.gitHubToken(r)
	case OAuthTokenPath:
		return s.issuerToken(r)
	case OAuthUserPath:
		return s.asHolder(r, gitHubUser)
	case OAuthEmailsPath:
		return s.asHolder(r, gitHubEmails)
	case OAuthDiscoveryPath:
		return http.StatusOK, map[string]any{
			"issuer": s.URL, "authorization_endpoint": s.URL + OAuthAuthorizePath, "token_endpoint": s.URL + OAuthTokenPath,
			"jwks_uri": s.URL + OAuthKeysPath, "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
			"token_endpoint_auth_methods_supported": []string{"client_secret_post", "client_secret_basic"},
		}
	case OAuthKeysPath:
		return http.StatusOK, map[string]any{"keys": []any{s.key.JWK()}}
	}
	return http.StatusNotFound, map[string]any{"message": "Not Found"}
}

// gitHubToken answers as GitHub does: failures, too, have status 200.
func (s *OAuthServer) gitHubToken(r *http.Request) any {
	if !isOAuthClient(r) {
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
func (s *OAuthServer) issuerToken(r *http.Request) (int, any) {
	if !isOAuthClient(r) {
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

func (s *OAuthServer) claims(consent oauthConsent, accessToken string) map[string]any {
	person, now := s.people[consent.subject], s.now()
	sum := sha256.Sum256([]byte(accessToken))
	claims := map[string]any{
		"iss": s.URL, "aud": OAuthClientID, "azp": OAuthClientID, "sub": person.Subject, "nonce": consent.asked.Get("nonce"),
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

// spend takes a code back, and reports whether it fits the request.
func (s *OAuthServer) spend(r *http.Request) (oauthConsent, bool) {
	consent, known := s.codes[r.PostForm.Get("code")]
	delete(s.codes, r.PostForm.Get("code"))
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	return consent, known && r.PostForm.Get("grant_type") == "authorization_code" &&
		r.PostForm.Get("redirect_uri") == consent.asked.Get("redirect_uri") &&
		consent.asked.Get("code_challenge_method") == "S256" &&
		consent.asked.Get("code_challenge") == base64.RawURLEncoding.EncodeToString(sum[:])
}

func (s *OAuthServer) grant(subject, refreshToken string) map[string]any {
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

func (s *OAuthServer) secret(prefix string) string {
	secret := prefix + core.NewSecret()
	s.given = append(s.given, secret)
	return secret
}

// asHolder answers for who the token acts for.
func (s *OAuthServer) asHolder(r *http.Request, answer func(oauth.Profile) any) (int, any) {
	for token, subject := range s.holders {
		if r.Header.Get("Authorization") == "Bearer "+token {
			return http.StatusOK, answer(s.people[subject])
		}
	}
	return http.StatusUnauthorized, map[string]any{"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest"}
}

// isOAuthClient reports whether a request has the client's id and secret, in the
// one way or the other.
func isOAuthClient(r *http.Request) bool {
	id, secret := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if user, password, basic := r.BasicAuth(); basic {
		id, secret = user, password
	}
	return r.Method == http.MethodPost && id == OAuthClientID && secret == OAuthClientSecret
}
