package bootstrap

import (
	"github.com/atelierhq/atelier/adapters/studio"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/ports/oauth"
)

// Studio creates the handler of the embedded web page.
func Studio(s settings.Settings, providers oauth.Providers) (*studio.Handler, error) {
	return studio.New(studio.Built(), StudioConfig(s, providers))
}

// StudioConfig returns what the page must know of the installation.
func StudioConfig(s settings.Settings, providers oauth.Providers) studio.Config {
	config := studio.Config{AppURL: s.AppURL, PreviewDomain: s.PreviewDomain, AppDomain: s.AppDomain, OAuth: []string{}, Version: s.Version}
	if providers.GitHub != nil {
		config.OAuth = append(config.OAuth, "github")
	}
	if providers.Google != nil {
		config.OAuth = append(config.OAuth, "google")
	}
	return config
}
