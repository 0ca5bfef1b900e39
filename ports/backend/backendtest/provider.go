package backendtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// signIns is a backend.SignIns in memory.
type signIns struct {
	mu     sync.Mutex
	places map[backend.Place][]backend.SignInProvider
}

// SignIns implements backend.SignIns.
func (s *signIns) SignIns(_ context.Context, place backend.Place) ([]backend.SignInProvider, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places[place], nil
}

// set makes the providers of a place.
func (s *signIns) set(place backend.Place, providers ...backend.SignInProvider) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places == nil {
		s.places = make(map[backend.Place][]backend.SignInProvider)
	}
	s.places[place] = providers
}

// person has an account at the provider.
type person struct {
	Subject  string `json:"sub"`
	Email    string `json:"email"`
	Verified bool   `json:"email_verified"`
	Name     string `json:"name"`
	Username string `json:"preferred_username"`
	Picture  string `json:"picture"`
}

// provider is an OpenID Connect provider. It answers only requests that came through its client.
type provider struct {
	server *httptest.Server
	// asked gets the path of every hostile request.
	asked chan string

	mu      sync.Mutex
	clients map[string]string // secrets by client ids
	codes   map[string]grant
	tokens  map[string]person
}

// grant is the meaning of a code.
type grant struct {
	client, redirect, challenge string
	who                         person
}

// guarded is the header that the provider's client sets.
const guarded = "Atelier-Test-Guarded"

func newProvider(t testing.TB) *provider {
	p := &provider{asked: make(chan string, 100), clients: map[string]string{}, codes: map[string]grant{}, tokens: map[string]person{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /me", p.me)
	mux.HandleFunc("GET /picture.png", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n picture"))
	})
	mux.HandleFunc("/hostile/{how}", p.hostile)
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(guarded) == "" {
			t.Errorf("%s %s did not come through the client", r.Method, r.URL)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	return p
}

// client reaches the provider, and no other address.
func (p *provider) client() *http.Client { return &http.Client{Transport: onlyTo{p.server.URL}} }

// onlyTo is an http.RoundTripper that refuses other addresses, as the service's guard refuses
// private ones.
type onlyTo struct{ address string }

// RoundTrip implements http.RoundTripper.
func (o onlyTo) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(r.URL.String(), o.address) {
		return nil, core.Errorf(core.CodeForbiddenAddress, "the address is not allowed")
	}
	r = r.Clone(r.Context())
	r.Header.Set(guarded, "yes")
	return http.DefaultTransport.RoundTrip(r)
}

// register returns the provider as an application of its own is registered there.
func (p *provider) register() backend.SignInProvider {
	id, secret := "id-"+rand.Text(), "secret-"+rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients[id] = secret
	return backend.SignInProvider{
		Name: "oidc", ClientID: id, ClientSecret: secret, DisplayName: "Identity of Example",
		AuthURL: p.server.URL + "/auth", TokenURL: p.server.URL + "/token", UserInfoURL: p.server.URL + "/me",
	}
}

// permit is what happens when somebody permits the sign-in for which a browser came: the provider
// returns a code.
func (p *provider) permit(t *testing.T, address string, who person) string {
	t.Helper()
	at, err := url.Parse(address)
	conformance.Must(t, err)
	query := at.Query()
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.clients[query.Get("client_id")]; !known || at.Path != "/auth" || query.Get("response_type") != "code" || query.Get("state") == "" {
		t.Fatalf("the browser came with %s", address)
	}
	code := "code-" + rand.Text()
	p.codes[code] = grant{query.Get("client_id"), query.Get("redirect_uri"), query.Get("code_challenge"), who}
	return code
}

// token exchanges a code, once.
func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	given, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	verified := given.challenge == base64.RawURLEncoding.EncodeToString(sum[:]) || given.challenge == "" && r.FormValue("code_verifier") == ""
	if !known || given.client != id || p.clients[id] != secret || given.redirect != r.FormValue("redirect_uri") || !verified {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	access := rand.Text()
	p.tokens[access] = given.who
	sendJSON(w, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 600})
}

// me answers who has an access token.
func (p *provider) me(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	who, known := p.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if !known {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	sendJSON(w, who)
}

// hostile answers as nobody should.
func (p *provider) hostile(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client has gone
	how := r.PathValue("how")
	p.asked <- how
	switch how {
	case "hang":
		<-r.Context().Done()
	case "drip":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"sub":"`))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case "huge":
		sendJSON(w, map[string]any{"sub": "1", "email": "huge@example.com", "email_verified": true, "access_token": "a", "more": strings.Repeat("x", 10<<20)})
	case "redirect":
		http.Redirect(w, r, p.server.URL+"/hostile/person", http.StatusTemporaryRedirect)
	case "person":
		sendJSON(w, map[string]any{"sub": "redirected", "email": "redirected@example.com", "email_verified": true, "access_token": "a"})
	case "garbage":
		_, _ = w.Write([]byte("<html>"))
	case "array":
		_, _ = w.Write([]byte(`[[[]]]`))
	case "types":
		sendJSON(w, map[string]any{"sub": []int{1}, "email": 5, "access_token": map[string]any{}})
	case "nobody":
		sendJSON(w, map[string]any{})
	case "error":
		w.WriteHeader(http.StatusInternalServerError)
	}
}

func sendJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
