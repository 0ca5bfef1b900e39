package oauth_test

import (
	"context"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/oauth"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	port "github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/oauth/oauthtest"
)

func wantRequests(t *testing.T, server *oauthtest.Server, path string, want int) {
	t.Helper()
	if got := len(server.Requests(path)); got != want {
		t.Errorf("%s: got %d requests, want %d", path, got, want)
	}
}

func TestAnIssuerIsAskedWhenItIsNeededAndOnce(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	google := newGoogle(server)
	wantRequests(t, server, oauthtest.DiscoveryPath, 0)
	for range 3 {
		wantAda(t, google, server)
	}
	wantRequests(t, server, oauthtest.DiscoveryPath, 1)
	wantRequests(t, server, oauthtest.KeysPath, 1)
}

func TestAnIssuerThatWasDownIsFoundLater(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	google := newGoogle(server)
	server.Answer(oauthtest.DiscoveryPath, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	wantFailure(t, google, server, core.CodeUnavailable)
	wantFailure(t, google, server, core.CodeUnavailable)
	server.Answer(oauthtest.DiscoveryPath, nil)
	wantAda(t, google, server)
}

func TestANewKeyIsFetchedWhenATokenNamesIt(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	google := newGoogle(server)
	for i := range 3 {
		server.SetKey(oauthtest.KeyNumber(i))
		awaitAda(t, google, server)
		wantAda(t, google, server)
		wantRequests(t, server, oauthtest.KeysPath, i+1)
	}
	wantRequests(t, server, oauthtest.DiscoveryPath, 1)
}

func TestAWithdrawnKeyIsForgottenWithinAnHour(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	later := time.Now()
	google := newGoogleAt(server, func() time.Time { return later })
	wantAda(t, google, server)
	server.SetKey(oauthtest.KeyNumber(1))
	later = later.Add(time.Hour)
	server.Forge(func(claims map[string]any) string {
		claims["iat"], claims["exp"] = later.Unix(), later.Add(time.Hour).Unix()
		return oauthtest.KeyNumber(0).Sign(claims)
	})
	wantFailure(t, google, server, core.CodeInvalidCredentials)
	wantRequests(t, server, oauthtest.DiscoveryPath, 2)
}

func TestADocumentThatLiesIsNotUsed(t *testing.T) {
	for name, changes := range map[string]map[string]any{
		"another issuer":              {"issuer": "https://accounts.google.com"},
		"no issuer":                   {"issuer": gone},
		"no page":                     {"authorization_endpoint": gone},
		"a page that is a script":     {"authorization_endpoint": "javascript:alert(1)"},
		"a page without a host":       {"authorization_endpoint": "/authorize"},
		"no token endpoint":           {"token_endpoint": ""},
		"a token endpoint in a file":  {"token_endpoint": "file:///etc/passwd"},
		"a token endpoint with user":  {"token_endpoint": "https://user:password@example.com/token"},
		"a token endpoint that jumps": {"token_endpoint": "https://example.com/token#x"},
		"a number":                    {"token_endpoint": 7},
		"no keys":                     {"jwks_uri": gone},
		"keys by gopher":              {"jwks_uri": "gopher://example.com/keys"},
		"an error":                    {"error": "invalid_grant"},
		"methods of the wrong type":   {"token_endpoint_auth_methods_supported": "client_secret_post"},
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Amend(oauthtest.DiscoveryPath, members(changes))
			attempt := oauthtest.Attempt()
			page, err := newGoogle(server).AuthorizeURL(t.Context(), attempt)
			oauthtest.WantError(t, err, core.CodeUnavailable, attempt.State, attempt.Verifier, attempt.Nonce)
			if page != "" {
				t.Errorf("got the page %q, want none", page)
			}
		})
	}
}

func TestAnIssuerIsTakenLetterByLetter(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	google := oauth.NewGoogle(client(), server.URL+"/", base(), time.Now)
	wantFailure(t, google, server, core.CodeUnavailable)
}

// TestASafeIssuerCannotSendTheSecretInTheClear has an issuer behind TLS whose document
// names an endpoint without TLS.
func TestASafeIssuerCannotSendTheSecretInTheClear(t *testing.T) {
	for _, plain := range []string{"authorization_endpoint", "token_endpoint", "jwks_uri", ""} {
		var honest *oauthtest.Server
		listener := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { honest.ServeHTTP(w, r) }))
		defer listener.Close()
		honest = oauthtest.NewServer(listener.URL, time.Now)
		if plain != "" {
			honest.Amend(oauthtest.DiscoveryPath, members(map[string]any{plain: "http://example.com/"}))
		}
		google := oauth.NewGoogle(client(), listener.URL, listener.Client().Transport.(*http.Transport), time.Now)
		_, err := google.AuthorizeURL(t.Context(), oauthtest.Attempt())
		if plain == "" && err != nil {
			t.Errorf("all safe: got %v, want an address", err)
		}
		if plain != "" {
			oauthtest.WantError(t, err, core.CodeUnavailable)
		}
	}
}

func TestACertificateOfNobodyIsRefused(t *testing.T) {
	listener := httptest.NewUnstartedServer(http.NotFoundHandler())
	listener.Config.ErrorLog = log.New(io.Discard, "", 0)
	listener.StartTLS()
	defer listener.Close()
	google := oauth.NewGoogle(client(), listener.URL, base(), time.Now)
	_, err := google.AuthorizeURL(t.Context(), oauthtest.Attempt())
	oauthtest.WantError(t, err, core.CodeUnavailable)
}

func TestKeysThatAreNoneAreTheIssuersFailure(t *testing.T) {
	for name, row := range map[string]struct {
		keys any
		code core.Code
	}{
		"no object":    {[]any{}, core.CodeUnavailable},
		"a number":     {map[string]any{"keys": 7}, core.CodeUnavailable},
		"a broken key": {map[string]any{"keys": []any{map[string]any{"kty": "RSA", "n": "!", "e": "AQAB"}}}, core.CodeUnavailable},
		"an error":     {map[string]any{"error": "invalid_grant"}, core.CodeUnavailable},
		"none at all":  {map[string]any{"keys": []any{}}, core.CodeInvalidCredentials},
		"a secret": {map[string]any{"keys": []any{map[string]any{"kty": "oct", "kid": "key-0", "k": "c2VjcmV0"}}},
			core.CodeInvalidCredentials},
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Amend(oauthtest.KeysPath, func(any) any { return row.keys })
			google := newGoogle(server)
			wantFailure(t, google, server, row.code)
			server.Amend(oauthtest.KeysPath, nil)
			awaitAda(t, google, server)
		})
	}
}

// awaitAda lets Ada sign in once the issuer's new keys are there: go-oidc gives fetched keys to
// its callers before it stores them, and a caller who comes between gets those of before.
func awaitAda(t *testing.T, identifier port.Identifier, server *oauthtest.Server) {
	t.Helper()
	for end := time.Now().Add(conformance.Patience); ; time.Sleep(time.Millisecond) {
		profile, err := signIn(t, identifier, server)
		if err == nil && profile == ada() {
			return
		}
		if err == nil || time.Now().After(end) {
			t.Fatalf("got %+v, %v, want %+v", profile, err, ada())
		}
	}
}

// TestASecretThatAnIssuerPublishesSignsNothing has a set of keys with one of
// HS256 in it, which everybody can read.
func TestASecretThatAnIssuerPublishesSignsNothing(t *testing.T) {
	for _, alg := range []string{"HS256", "HS384", "HS512", "none"} {
		server := oauthtest.Serve(t, time.Now)
		public := map[string]any{"kty": "oct", "kid": "shared", "use": "sig", "k": base64.RawURLEncoding.EncodeToString(make([]byte, 64))}
		server.Amend(oauthtest.KeysPath, func(any) any { return map[string]any{"keys": []any{public}} })
		server.Forge(func(claims map[string]any) string {
			delete(claims, "at_hash")
			return oauthtest.Token(map[string]any{"alg": alg, "kid": "shared"}, claims, withSecret(make([]byte, 64)))
		})
		wantFailure(t, newGoogle(server), server, core.CodeInvalidCredentials)
	}
}

// TestACodeIsShownOnce holds for either way to show the client's secret, also when
// the endpoint refuses it.
func TestACodeIsShownOnce(t *testing.T) {
	for name, methods := range map[string]any{
		"in the form": []string{"client_secret_post"}, "in the header": []string{"client_secret_basic"}, "by default": gone,
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Amend(oauthtest.DiscoveryPath, members(map[string]any{"token_endpoint_auth_methods_supported": methods}))
			wantAda(t, newGoogle(server), server)
			wantRequests(t, server, oauthtest.TokenPath, 1)
			inForm := server.Requests(oauthtest.TokenPath)[0].Form.Has("client_secret")
			if want := name == "in the form"; inForm != want {
				t.Errorf("got the secret in the form %v, want %v", inForm, want)
			}
			wrong := client()
			wrong.Secret = "wrong"
			wantFailure(t, oauth.NewGoogle(wrong, server.URL, base(), time.Now), server, core.CodeUnavailable)
			wantRequests(t, server, oauthtest.TokenPath, 2)
		})
	}
}

// slowIssuer is an issuer behind a pipe that takes a second for its document.
func slowIssuer(t *testing.T) (*oauth.Google, *oauthtest.Server) {
	server := oauthtest.NewServer("http://issuer.test", time.Now)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Second)
		server.ServeHTTP(w, r)
	})
	return oauth.NewGoogle(client(), server.URL, piped(t, handler), time.Now), server
}

func TestAllWhoWaitShareOneDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		google, server := slowIssuer(t)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if _, err := google.AuthorizeURL(t.Context(), oauthtest.Attempt()); err != nil {
					t.Errorf("got %v, want an address", err)
				}
			})
		}
		group.Wait()
		wantRequests(t, server, oauthtest.DiscoveryPath, 1)
	})
}

func TestWhoLeavesTakesNobodysDocumentAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		google, server := slowIssuer(t)
		ask := func(ctx context.Context) error {
			_, err := google.AuthorizeURL(ctx, port.Attempt{})
			return err
		}
		var group sync.WaitGroup
		leaving, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		group.Go(func() { oauthtest.WantError(t, ask(leaving), core.CodeUnavailable) })
		synctest.Wait()
		group.Go(func() {
			if err := ask(t.Context()); err != nil {
				t.Errorf("got %v, want an address", err)
			}
		})
		group.Wait()
		wantRequests(t, server, oauthtest.DiscoveryPath, 1)
	})
}
