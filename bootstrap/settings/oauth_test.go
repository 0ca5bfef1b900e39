package settings

import (
	"maps"
	"strings"
	"testing"

	oauthadapter "github.com/atelierhq/atelier/adapters/oauth"
)

// with adds variables to others.
func with(values map[string]string, more ...string) map[string]string {
	all := maps.Clone(values)
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

func gitHubEnv() map[string]string {
	return map[string]string{"GITHUB_CLIENT_ID": "Iv1.0a1b2c", "GITHUB_CLIENT_SECRET": "hunter2hunter2"}
}

func googleEnv() map[string]string {
	return map[string]string{"GOOGLE_CLIENT_ID": "7.apps.googleusercontent.com", "GOOGLE_CLIENT_SECRET": "hunter2hunter2"}
}

func loadOAuth(t *testing.T, values map[string]string) OAuth {
	t.Helper()
	s, err := Read(env(values))
	if err != nil {
		t.Fatal(err)
	}
	return s.OAuth
}

func TestNobodyIsAProviderByDefault(t *testing.T) {
	got := loadOAuth(t, nil)
	want := OAuth{
		AssistantBaseURL: "https://models.github.ai/inference",
		GitHubURLs: oauthadapter.GitHubURLs{
			Auth: "https://github.com/login/oauth/authorize", Token: "https://github.com/login/oauth/access_token", API: "https://api.github.com",
		},
		GoogleIssuer: "https://accounts.google.com",
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestBrowsersComeBackBelowTheApplication(t *testing.T) {
	for _, app := range []string{"https://atelier.example.com", "https://atelier.example.com/"} {
		got := loadOAuth(t, with(with(gitHubEnv(), "APP_URL", app), "GOOGLE_CLIENT_ID", "g", "GOOGLE_CLIENT_SECRET", "s"))
		if want := "https://atelier.example.com/auth/github/callback"; got.GitHub.RedirectURI != want {
			t.Errorf("got %q, want %q", got.GitHub.RedirectURI, want)
		}
		if want := "https://atelier.example.com/auth/google/callback"; got.Google.RedirectURI != want {
			t.Errorf("got %q, want %q", got.Google.RedirectURI, want)
		}
	}
}

// TestWhatIsComparedStaysAsItIsWritten has addresses that a tidier reader would
// change, and a provider would then refuse.
func TestWhatIsComparedStaysAsItIsWritten(t *testing.T) {
	const odd = "https://Other.example.com:443/back/?a=%7e&b="
	got := loadOAuth(t, with(with(gitHubEnv(), "GITHUB_REDIRECT_URI", odd, "GITHUB_ASSISTANT_REDIRECT_URI", odd+"x"),
		"GOOGLE_CLIENT_ID", "g", "GOOGLE_CLIENT_SECRET", "s", "GOOGLE_ISSUER_URL", "https://login.example.com/realm/"))
	for name, pair := range map[string][2]string{
		"GITHUB_REDIRECT_URI":           {got.GitHub.RedirectURI, odd},
		"GITHUB_ASSISTANT_REDIRECT_URI": {got.Assistant.RedirectURI, odd + "x"},
		"GOOGLE_ISSUER_URL":             {got.GoogleIssuer, "https://login.example.com/realm/"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %q, want %q", name, pair[0], pair[1])
		}
	}
}

func TestTheAssistantIsGitHubsClient(t *testing.T) {
	got := loadOAuth(t, with(gitHubEnv(), "GITHUB_ASSISTANT_REDIRECT_URI", "https://a.example/back", "GITHUB_ASSISTANT_BASE_URL", "http://127.0.0.1:9/v1/"))
	want := oauthadapter.Client{ID: "Iv1.0a1b2c", Secret: "hunter2hunter2", RedirectURI: "https://a.example/back"}
	if got.Assistant != want || got.AssistantBaseURL != "http://127.0.0.1:9/v1" {
		t.Errorf("got %+v at %q, want %+v at %q", got.Assistant, got.AssistantBaseURL, want, "http://127.0.0.1:9/v1")
	}
	if got := loadOAuth(t, gitHubEnv()); got.Assistant != (oauthadapter.Client{}) {
		t.Errorf("without the variable: got %+v, want none", got.Assistant)
	}
}

// TestAHalfConfiguredProviderStopsTheStart checks that each refusal is one line that
// begins with the variable to look at, and shows no secret.
func TestAHalfConfiguredProviderStopsTheStart(t *testing.T) {
	for _, row := range []struct {
		values map[string]string
		named  string
	}{
		{map[string]string{"GITHUB_CLIENT_ID": "x"}, "GITHUB_CLIENT_SECRET"},
		{map[string]string{"GITHUB_CLIENT_SECRET": "hunter2"}, "GITHUB_CLIENT_ID"},
		{map[string]string{"GITHUB_REDIRECT_URI": "https://a.example/back"}, "GITHUB_CLIENT_ID"},
		{map[string]string{"GITHUB_CLIENT_ID": "x", "GITHUB_REDIRECT_URI": "https://a.example/back"}, "GITHUB_CLIENT_SECRET"},
		{map[string]string{"GITHUB_ASSISTANT_REDIRECT_URI": "https://a.example/back"}, "GITHUB_CLIENT_ID"},
		{with(googleEnv(), "GITHUB_ASSISTANT_REDIRECT_URI", "https://a.example/back"), "GITHUB_CLIENT_ID"},
		{map[string]string{"GOOGLE_CLIENT_ID": "x"}, "GOOGLE_CLIENT_SECRET"},
		{map[string]string{"GOOGLE_CLIENT_SECRET": "hunter2"}, "GOOGLE_CLIENT_ID"},
		{map[string]string{"GOOGLE_REDIRECT_URI": "https://a.example/back"}, "GOOGLE_CLIENT_ID"},
		{with(gitHubEnv(), "GITHUB_CLIENT_ID", "two words"), "GITHUB_CLIENT_ID"},
		{with(gitHubEnv(), "GITHUB_CLIENT_SECRET", "hunter2 hunter2"), "GITHUB_CLIENT_SECRET"},
		{with(gitHubEnv(), "GITHUB_CLIENT_SECRET", "hunter2\n"), "GITHUB_CLIENT_SECRET"},
		{with(gitHubEnv(), "GITHUB_REDIRECT_URI", "/auth/github/callback"), "GITHUB_REDIRECT_URI"},
		{with(gitHubEnv(), "GITHUB_REDIRECT_URI", "https://a.example/back#x"), "GITHUB_REDIRECT_URI"},
		{with(gitHubEnv(), "GITHUB_REDIRECT_URI", "https://:443/back"), "GITHUB_REDIRECT_URI"},
		{with(gitHubEnv(), "GITHUB_ASSISTANT_REDIRECT_URI", "a.example"), "GITHUB_ASSISTANT_REDIRECT_URI"},
		{with(googleEnv(), "GOOGLE_REDIRECT_URI", "ftp://a.example/back"), "GOOGLE_REDIRECT_URI"},
		{map[string]string{"GITHUB_AUTH_URL": "github.example.com"}, "GITHUB_AUTH_URL"},
		{map[string]string{"GITHUB_TOKEN_URL": "https://user@github.example.com"}, "GITHUB_TOKEN_URL"},
		{map[string]string{"GITHUB_API_URL": "file:///api"}, "GITHUB_API_URL"},
		{map[string]string{"GITHUB_ASSISTANT_BASE_URL": "models"}, "GITHUB_ASSISTANT_BASE_URL"},
		{map[string]string{"GOOGLE_ISSUER_URL": "accounts.google.com"}, "GOOGLE_ISSUER_URL"},
		{map[string]string{"GOOGLE_ISSUER_URL": "https://a b.example"}, "GOOGLE_ISSUER_URL"},
	} {
		_, err := Read(env(row.values))
		if err == nil || !strings.HasPrefix(err.Error(), row.named+" ") || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: got %v, want one line that begins with %s and has no secret", row.values, err, row.named)
		}
	}
}
