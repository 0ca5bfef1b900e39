package people_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

// person is somebody with accounts at the providers. GitHub knows them by a
// number, Google by a text of the same digits.
type person struct {
	number   int
	email    string
	verified bool
	name     string
}

// providerServer implements GitHub's and Google's sign-in, and GitHub's models, as
// documented. The person at the browser agrees to everything.
type providerServer struct {
	*httptest.Server
	t   testing.TB
	key *rsa.PrivateKey

	mu       sync.Mutex
	keyboard person
	codes    map[string]consent
	// holders maps access tokens to people, refreshers maps refresh tokens to people.
	holders, refreshers map[string]person
	// life is the lifetime of GitHub's tokens; 0 is forever, without a refresh token.
	life     time.Duration
	renewals int
	// refusals counts the calls with an invalid token.
	refusals int
	// asked is who spent tokens on which model.
	asked []string
}

// consent is the meaning of a code.
type consent struct {
	person
	redirect, challenge, nonce string
}

const (
	clientID     = "client-of-the-service"
	clientSecret = "secret-of-the-service"
)

func newProviderServer(t testing.TB) *providerServer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &providerServer{t: t, key: key, codes: map[string]consent{}, holders: map[string]person{}, refreshers: map[string]person{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /github/authorize", p.authorize)
	mux.HandleFunc("POST /github/token", p.githubToken)
	mux.HandleFunc("GET /github/api/user", p.githubUser)
	mux.HandleFunc("GET /github/api/user/emails", p.githubEmails)
	mux.HandleFunc("POST /models/chat/completions", p.complete)
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discover)
	mux.HandleFunc("GET /google/authorize", p.authorize)
	mux.HandleFunc("POST /google/token", p.googleToken)
	mux.HandleFunc("GET /google/keys", p.googleKeys)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// env are the settings of a service that uses the server.
func (p *providerServer) env() map[string]string {
	return map[string]string{
		"GITHUB_CLIENT_ID": clientID, "GITHUB_CLIENT_SECRET": clientSecret, "GOOGLE_CLIENT_ID": clientID, "GOOGLE_CLIENT_SECRET": clientSecret,
		"GITHUB_AUTH_URL": p.URL + "/github/authorize", "GITHUB_TOKEN_URL": p.URL + "/github/token", "GITHUB_API_URL": p.URL + "/github/api",
		"GOOGLE_ISSUER_URL": p.URL, "GITHUB_ASSISTANT_BASE_URL": p.URL + "/models",
		// The browser of the tests takes the path of it alone.
		"GITHUB_ASSISTANT_REDIRECT_URI": "http://localhost/auth/github/assistant/callback",
	}
}

// sit puts somebody at the keyboard.
func (p *providerServer) sit(who person) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keyboard = who
}

func (p *providerServer) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	redirect, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil || asked.Get("client_id") != clientID || asked.Get("response_type") != "code" || asked.Get("code_challenge_method") != "S256" {
		http.Error(w, "not a request of this client", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	code := core.NewSecret()
	p.codes[code] = consent{p.keyboard, asked.Get("redirect_uri"), asked.Get("code_challenge"), asked.Get("nonce")}
	redirect.RawQuery = url.Values{"code": {code}, "state": {asked.Get("state")}}.Encode()
	http.Redirect(w, r, redirect.String(), http.StatusFound)
}

// redeem trades a code, which works once, and only with the verifier of its
// challenge.
func (p *providerServer) redeem(r *http.Request) (consent, bool) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	found, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	verified := base64.RawURLEncoding.EncodeToString(sum[:]) == found.challenge
	return found, known && verified && id == clientID && secret == clientSecret && r.FormValue("redirect_uri") == found.redirect
}

func (p *providerServer) githubToken(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("grant_type") == "refresh_token" {
		p.githubRefresh(w, r)
		return
	}
	found, ok := p.redeem(r)
	if !ok {
		reply(w, map[string]any{"error": "bad_verification_code", "error_description": "The code passed is incorrect or expired."})
		return
	}
	p.grant(w, found.person)
}

func (p *providerServer) githubRefresh(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	who, known := p.refreshers[r.FormValue("refresh_token")]
	delete(p.refreshers, r.FormValue("refresh_token"))
	p.renewals++
	p.mu.Unlock()
	if !known {
		reply(w, map[string]any{"error": "bad_refresh_token", "error_description": "The refresh token passed is incorrect or expired."})
		return
	}
	p.grant(w, who)
}

func (p *providerServer) grant(w http.ResponseWriter, who person) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer := map[string]any{"access_token": "ghu_" + core.NewSecret(), "token_type": "bearer", "scope": "read:user,user:email"}
	p.holders[answer["access_token"].(string)] = who
	if p.life > 0 {
		refresh := "ghr_" + core.NewSecret()
		p.refreshers[refresh] = who
		answer["expires_in"], answer["refresh_token"], answer["refresh_token_expires_in"] = int(p.life.Seconds()), refresh, 15897600
	}
	reply(w, answer)
}

// holder returns the person to whom a request's token belongs, or answers 401.
func (p *providerServer) holder(w http.ResponseWriter, r *http.Request) (person, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	who, known := p.holders[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if !known {
		p.refusals++
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"message":"Bad credentials","status":"401"}`)
	}
	return who, known
}

// revoke makes every token so far worthless, refresh tokens too.
func (p *providerServer) revoke() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.holders)
	clear(p.refreshers)
}

func (p *providerServer) githubUser(w http.ResponseWriter, r *http.Request) {
	if who, known := p.holder(w, r); known {
		reply(w, map[string]any{"id": who.number, "login": "user", "name": who.name, "email": "shown@example.com", "avatar_url": "https://avatars.example.com/u/1"})
	}
}

func (p *providerServer) githubEmails(w http.ResponseWriter, r *http.Request) {
	who, known := p.holder(w, r)
	switch {
	case !known:
	case who.email == "":
		reply(w, []any{})
	default:
		reply(w, []any{
			map[string]any{"email": "old@example.com", "primary": false, "verified": true, "visibility": nil},
			map[string]any{"email": who.email, "primary": true, "verified": who.verified, "visibility": "private"},
		})
	}
}

// complete streams an answer as OpenAI's models do.
func (p *providerServer) complete(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Model string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	who, known := p.holder(w, r)
	if !known {
		return
	}
	p.mu.Lock()
	p.asked = append(p.asked, who.name+" "+asked.Model)
	p.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := `{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"paid by ` + who.name + `"},"finish_reason":null}]}`
	fmt.Fprintf(w, "data: %s\n\n", chunk)
	fmt.Fprint(w, `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n")
	fmt.Fprint(w, `data: {"id":"c","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}`+"\n\ndata: [DONE]\n\n")
}

func (p *providerServer) discover(w http.ResponseWriter, _ *http.Request) {
	reply(w, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/google/authorize", "token_endpoint": p.URL + "/google/token", "jwks_uri": p.URL + "/google/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_post", "client_secret_basic"},
	})
}

func (p *providerServer) googleKeys(w http.ResponseWriter, _ *http.Request) {
	reply(w, map[string]any{"keys": []any{map[string]any{
		"kid": "one", "kty": "RSA", "alg": "RS256", "use": "sig", "n": base64.RawURLEncoding.EncodeToString(p.key.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(p.key.E)).Bytes()),
	}}})
}

func (p *providerServer) googleToken(w http.ResponseWriter, r *http.Request) {
	found, ok := p.redeem(r)
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		reply(w, map[string]any{"error": "invalid_grant", "error_description": "Bad Request"})
		return
	}
	now := time.Now()
	claims := map[string]any{
		"iss": p.URL, "aud": clientID, "azp": clientID, "sub": strconv.Itoa(found.number), "nonce": found.nonce,
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "name": found.name, "picture": "https://pictures.example.com/1",
	}
	if found.email != "" {
		claims["email"], claims["email_verified"] = found.email, found.verified
	}
	reply(w, map[string]any{"access_token": core.NewSecret(), "token_type": "Bearer", "expires_in": 3599, "scope": "openid email profile", "id_token": p.sign(claims)})
}

// sign makes a JWT of claims.
func (p *providerServer) sign(claims map[string]any) string {
	body, err := json.Marshal(claims)
	if err != nil {
		p.t.Error(err)
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"one","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		p.t.Error(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// reply answers with JSON, as every page here for programs does.
func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
