package bootstrap

import (
	"context"

	"github.com/atelierhq/atelier/adapters/studio"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// Studio creates the handler of the embedded web page.
func Studio(s settings.Settings, providers oauth.Providers, store storage.Store) (*studio.Handler, error) {
	return studio.New(studio.Built(), StudioConfig(s, providers, store))
}

// StudioConfig returns what the page must know of the installation.
func StudioConfig(s settings.Settings, providers oauth.Providers, store storage.Store) studio.Config {
	config := studio.Config{
		AppURL: s.AppURL, PreviewDomain: s.PreviewDomain, AppDomain: s.AppDomain, OAuth: []string{}, Version: s.Version,
		Settled: func(ctx context.Context) (bool, error) { return store.Tables().Users.Any(ctx) },
	}
	if providers.GitHub != nil {
		config.OAuth = append(config.OAuth, "github")
	}
	if providers.Google != nil {
		config.OAuth = append(config.OAuth, "google")
	}
	return config
}
