//go:build wireinject

package local

import (
	"context"
	"log/slog"

	"github.com/google/wire"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// assemble makes an App of New's adapters and those that replace them.
func assemble(ctx context.Context, s settings.Settings, log *slog.Logger, parts Parts) (*bootstrap.App, func(), error) {
	wire.Build(
		bootstrap.UseCases,
		openStore, openLocks,
		openTransport, wire.FieldsOf(new(transport), "Bus", "Unsaved"),
		openProjectFiles, wire.FieldsOf(new(projectFiles), "Trees", "Repositories", "Wire", "Remotes"),
		openSandbox, wire.FieldsOf(new(sandboxAdapters), "Commands", "Tools", "Types", "Languages"),
		openRegistry, wire.FieldsOf(new(registry), "Packages"),
		openSources, wire.FieldsOf(new(sources), "Builder", "Syntax", "Patcher"),
		openBackends, openFunctions, openSites, openTemplates, openReplicas, openSearch, openBrowser,
		openTokens, openPasswords, openSealer, openCodes, openPasskeys, openOAuth, openIssuers,
		openModels, openMail, openDNS, openGuard, openConnectors,
		openTracer, openVault, exclusive,
	)
	return nil, nil, nil
}
