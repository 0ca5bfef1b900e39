package bootstrap

import (
	"net/http"
	"time"

	oauthadapter "github.com/atelierhq/atelier/adapters/oauth"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/ports/oauth"
)

// OAuthProviders are the providers that the settings configure.
func OAuthProviders(s settings.Settings, now func() time.Time) oauth.Providers {
	var providers oauth.Providers
	base := http.DefaultTransport.(*http.Transport)
	if s.OAuth.GitHub.ID != "" {
		providers.GitHub = oauthadapter.NewGitHub(s.OAuth.GitHub, s.OAuth.GitHubURLs, base)
	}
	if s.OAuth.Google.ID != "" {
		providers.Google = oauthadapter.NewGoogle(s.OAuth.Google, s.OAuth.GoogleIssuer, base, now)
	}
	if s.OAuth.Assistant.ID != "" {
		providers.Assistant = oauthadapter.NewAssistant(s.OAuth.Assistant, s.OAuth.GitHubURLs, base, now)
	}
	return providers
}
