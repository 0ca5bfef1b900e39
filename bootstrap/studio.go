package bootstrap

import (
	"github.com/atelierhq/atelier/adapters/studio"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/ports/oauth"
)

// Studio makes the web page that the program carries.
func Studio(s settings.Settings, providers oauth.Providers) (*studio.Handler, error) {
	return studio.New(studio.Built(), StudioConfig(s, providers))
}

// StudioConfig is what the page has to know of the installation.
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
