package people_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth/oauthtest"
)

// oauthEnv configures all providers to be the server.
func oauthEnv(server *oauthtest.Server) map[string]string {
	return map[string]string{
		"GITHUB_CLIENT_ID": oauthtest.ClientID, "GITHUB_CLIENT_SECRET": oauthtest.ClientSecret,
		"GOOGLE_CLIENT_ID": oauthtest.ClientID, "GOOGLE_CLIENT_SECRET": oauthtest.ClientSecret,
		"GITHUB_AUTH_URL":  server.URL + oauthtest.AuthorizePath,
		"GITHUB_TOKEN_URL": server.URL + oauthtest.GitHubTokenPath,
		"GITHUB_API_URL":   server.URL + "/api", "GOOGLE_ISSUER_URL": server.URL,
		"GITHUB_ASSISTANT_REDIRECT_URI": "https://atelier.example.com/auth/github/assistant/callback",
	}
}

func TestFeaturesTellWhichProvidersAreConfigured(t *testing.T) {
	server := oauthtest.NewServer("http://127.0.0.1:1", time.Now)
	google := map[string]string{"GOOGLE_CLIENT_ID": "g", "GOOGLE_CLIENT_SECRET": "s"}
	for name, make := range map[string]storytest.Assemble{"local": local.New, "inmemory": inmemory.New} {
		for _, row := range []struct {
			env                       map[string]string
			gitHub, google, assistant bool
		}{{nil, false, false, false}, {google, false, true, false}, {oauthEnv(server), true, true, true}} {
			var me struct {
				Features struct {
					OAuth     struct{ GitHub, Google bool }
					Assistant bool
				}
			}
			storytest.Serve(t, t.TempDir(), make, row.env).SignUp().Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
			got := me.Features
			if got.OAuth.GitHub != row.gitHub || got.OAuth.Google != row.google || got.Assistant != row.assistant {
				t.Errorf("%s: got %+v, want GitHub %v, Google %v, the assistant %v", name, got, row.gitHub, row.google, row.assistant)
			}
		}
	}
}

func TestAProviderThatIsDownAtTheStartIsUsedLater(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	server.SetDown(true)
	browser := &storytest.Caller{Site: storytest.Serve(t, t.TempDir(), local.New, oauthEnv(server))}
	down := browser.Do(http.MethodGet, "/auth/google", nil)
	if where := down.Header.Get("Location"); strings.HasPrefix(where, server.URL) {
		t.Errorf("got the page %q of a provider that is down", where)
	}
	server.SetDown(false)
	up := browser.Must(http.StatusFound, http.MethodGet, "/auth/google", nil, nil)
	if where := up.Header.Get("Location"); !strings.HasPrefix(where, server.URL+oauthtest.AuthorizePath+"?") {
		t.Errorf("got the page %q, want the provider's", where)
	}
}

// TestAProviderThatIsDown covers what a person sees who cannot do anything about it.
func TestAProviderThatIsDown(t *testing.T) {
	e := newEmbassy(t, "local")
	b := e.browser()
	back := b.leave("/auth/github", alice())
	e.providers.Close()
	b.wantAt("on the way back", b.get(back), "/login?error=unavailable")
	b.wantAt("on the way there", b.get("/auth/google"), "/login?error=unavailable")
}

// TestWithoutProvidersThereIsNothingToSignInWith covers the defaults.
func TestWithoutProvidersThereIsNothingToSignInWith(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), local.New, nil)
	c := s.SignUp()
	for _, path := range []string{"/auth/github", "/auth/google", "/auth/github/assistant"} {
		if got := c.Do(http.MethodGet, path, nil); got.Status != http.StatusNotFound || got.Code() != core.CodeProviderNotConfigured {
			t.Errorf("%s: got %d %s, want 404 provider_not_configured", path, got.Status, got.Body)
		}
	}
}
