package bootstrap

import (
	"maps"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/settings"
)

func TestProvidersAreThoseThatTheSettingsName(t *testing.T) {
	gitHub := map[string]string{"GITHUB_CLIENT_ID": "Iv1.0a1b2c", "GITHUB_CLIENT_SECRET": "hunter2hunter2"}
	google := map[string]string{"GOOGLE_CLIENT_ID": "7.apps.googleusercontent.com", "GOOGLE_CLIENT_SECRET": "hunter2hunter2"}
	assistant := maps.Clone(gitHub)
	assistant["GITHUB_ASSISTANT_REDIRECT_URI"] = "https://a.example/back"
	all := maps.Clone(assistant)
	maps.Copy(all, google)
	for name, row := range map[string]struct {
		values                    map[string]string
		gitHub, google, assistant bool
	}{
		"nobody":        {nil, false, false, false},
		"GitHub":        {gitHub, true, false, false},
		"Google":        {google, false, true, false},
		"the assistant": {assistant, true, false, true},
		"all":           {all, true, true, true},
	} {
		s, err := settings.Read(env(row.values))
		if err != nil {
			t.Fatal(err)
		}
		got := OAuthProviders(s, time.Now)
		if (got.GitHub != nil) != row.gitHub || (got.Google != nil) != row.google || (got.Assistant != nil) != row.assistant {
			t.Errorf("%s: got %+v, want %+v", name, got, row)
		}
	}
}
