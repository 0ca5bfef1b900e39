package oauth_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/oauth"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/porttest"
)

func client() oauth.Client {
	return oauth.Client{
		ID: porttest.OAuthClientID, Secret: porttest.OAuthClientSecret,
		RedirectURI: "https://atelier.example.com/auth/callback?kept=yes",
	}
}

func gitHubURLs(server *porttest.OAuthServer) oauth.GitHubURLs {
	return oauth.GitHubURLs{
		Auth: server.URL + porttest.OAuthAuthorizePath, Token: server.URL + porttest.OAuthGitHubTokenPath, API: server.URL + "/api/",
	}
}

// base is a transport of its own for each test, so that none waits for another's
// connections.
func base() *http.Transport { return &http.Transport{DisableKeepAlives: true} }

func newGitHub(server *porttest.OAuthServer) *oauth.GitHub {
	return oauth.NewGitHub(client(), gitHubURLs(server), base())
}

func newGoogle(server *porttest.OAuthServer) *oauth.Google { return newGoogleAt(server, time.Now) }

func newGoogleAt(server *porttest.OAuthServer, now func() time.Time) *oauth.Google {
	return oauth.NewGoogle(client(), server.URL, base(), now)
}

func TestGitHub(t *testing.T) {
	porttest.TestIdentifier(t, func(t *testing.T) (port.Identifier, porttest.OAuthProvider) {
		server := porttest.ServeOAuth(t, time.Now)
		return newGitHub(server), server
	})
}

func TestGoogle(t *testing.T) {
	porttest.TestIdentifier(t, func(t *testing.T) (port.Identifier, porttest.OAuthProvider) {
		server := porttest.ServeOAuth(t, time.Now)
		return newGoogle(server), server
	})
}

func TestAssistant(t *testing.T) {
	porttest.TestGranter(t, func(t *testing.T, now func() time.Time) (port.Granter, porttest.OAuthGranting) {
		server := porttest.ServeOAuth(t, now)
		return oauth.NewAssistant(client(), gitHubURLs(server), base(), now), server
	})
}

// ada is a person whom every provider here knows.
func ada() port.Profile {
	return port.Profile{
		Subject: "583231", Email: "ada@example.com", EmailVerified: true,
		Name: "Ada", AvatarURL: "https://images.example.com/ada.png",
	}
}

// signIn lets ada sign in.
func signIn(t *testing.T, identifier port.Identifier, server *porttest.OAuthServer) (port.Profile, error) {
	t.Helper()
	server.AddPerson(ada())
	attempt := porttest.OAuthAttempt()
	if _, err := identifier.AuthorizeURL(t.Context(), attempt); err != nil {
		return port.Profile{}, err
	}
	code := porttest.OAuthCode(t, identifier, server, attempt, ada().Subject)
	return identifier.Identify(t.Context(), attempt, code)
}

// wantFailure lets ada sign in, which must fail with the code, tell nobody who she
// is, and show no secret.
func wantFailure(t *testing.T, identifier port.Identifier, server *porttest.OAuthServer, code core.Code) {
	t.Helper()
	profile, err := signIn(t, identifier, server)
	porttest.WantOAuthError(t, err, code, server.Secrets()...)
	if profile != (port.Profile{}) {
		t.Errorf("got the profile %+v, want none", profile)
	}
}

// wantAda lets ada sign in, which must go well.
func wantAda(t *testing.T, identifier port.Identifier, server *porttest.OAuthServer) {
	t.Helper()
	if profile, err := signIn(t, identifier, server); err != nil || profile != ada() {
		t.Errorf("got %+v, %v, want %+v", profile, err, ada())
	}
}

// members amends an answer that is an object.
func members(changes map[string]any) func(any) any {
	return func(answer any) any {
		object := answer.(map[string]any)
		for name, value := range changes {
			object[name] = value
			if value == gone {
				delete(object, name)
			}
		}
		return object
	}
}

// gone takes a member away.
const gone = "\x00gone"
