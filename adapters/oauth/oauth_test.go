package oauth_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/oauth"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/oauth/oauthtest"
)

func client() oauth.Client {
	return oauth.Client{
		ID: oauthtest.ClientID, Secret: oauthtest.ClientSecret,
		RedirectURI: "https://atelier.example.com/auth/callback?kept=yes",
	}
}

func gitHubURLs(server *oauthtest.Server) oauth.GitHubURLs {
	return oauth.GitHubURLs{
		Auth: server.URL + oauthtest.AuthorizePath, Token: server.URL + oauthtest.GitHubTokenPath, API: server.URL + "/api/",
	}
}

// base is a transport of its own for each test, so that none waits for another's
// connections.
func base() *http.Transport { return &http.Transport{DisableKeepAlives: true} }

func newGitHub(server *oauthtest.Server) *oauth.GitHub {
	return oauth.NewGitHub(client(), gitHubURLs(server), base())
}

func newGoogle(server *oauthtest.Server) *oauth.Google { return newGoogleAt(server, time.Now) }

func newGoogleAt(server *oauthtest.Server, now func() time.Time) *oauth.Google {
	return oauth.NewGoogle(client(), server.URL, base(), now)
}

func TestGitHub(t *testing.T) {
	oauthtest.RunIdentifier(t, func(t *testing.T) (port.Identifier, oauthtest.Provider) {
		server := oauthtest.Serve(t, time.Now)
		return newGitHub(server), server
	})
}

func TestGoogle(t *testing.T) {
	oauthtest.RunIdentifier(t, func(t *testing.T) (port.Identifier, oauthtest.Provider) {
		server := oauthtest.Serve(t, time.Now)
		return newGoogle(server), server
	})
}

func TestAssistant(t *testing.T) {
	oauthtest.RunGranter(t, func(t *testing.T, now func() time.Time) (port.Granter, oauthtest.Granter) {
		server := oauthtest.Serve(t, now)
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
func signIn(t *testing.T, identifier port.Identifier, server *oauthtest.Server) (port.Profile, error) {
	t.Helper()
	server.AddPerson(ada())
	attempt := oauthtest.Attempt()
	if _, err := identifier.AuthorizeURL(t.Context(), attempt); err != nil {
		return port.Profile{}, err
	}
	code := oauthtest.Code(t, identifier, server, attempt, ada().Subject)
	return identifier.Identify(t.Context(), attempt, code)
}

// wantFailure lets ada sign in, which must fail with the code, without revealing her
// identity or any secret.
func wantFailure(t *testing.T, identifier port.Identifier, server *oauthtest.Server, code core.Code) {
	t.Helper()
	profile, err := signIn(t, identifier, server)
	oauthtest.WantError(t, err, code, server.Secrets()...)
	if profile != (port.Profile{}) {
		t.Errorf("got the profile %+v, want none", profile)
	}
}

// wantAda lets ada sign in, which must go well.
func wantAda(t *testing.T, identifier port.Identifier, server *oauthtest.Server) {
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
