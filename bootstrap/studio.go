package bootstrap

import (
	"context"

	"github.com/atelierhq/atelier/adapters/studio"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// Studio creates the handler of the embedded web page.
func Studio(s settings.Settings, providers oauth.Providers, store storage.Store, doors *instance.Doors) (*studio.Handler, error) {
	return studio.New(studio.Built(), StudioConfig(s, providers, store, doors))
}

// StudioConfig returns what the page must know of the installation.
func StudioConfig(s settings.Settings, providers oauth.Providers, store storage.Store, doors *instance.Doors) studio.Config {
	config := studio.Config{
		AppURL: s.AppURL, PreviewDomain: s.PreviewDomain, AppDomain: s.AppDomain, OAuth: []string{}, Version: s.Version,
		Signup: func(ctx context.Context) (studio.Signup, error) {
			signup, err := doors.Signup(ctx)
			return studio.Signup{Policy: string(signup.Policy), Domains: signup.Domains, Passwords: signup.Passwords}, err
		},
		Companies: func(ctx context.Context) ([]studio.Company, error) {
			found, err := companysignin.Choices(ctx, store)
			companies := make([]studio.Company, len(found))
			for i, choice := range found {
				companies[i] = studio.Company(choice)
			}
			return companies, err
		},
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
