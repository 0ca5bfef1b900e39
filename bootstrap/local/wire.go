//go:build wireinject

package local

import (
	"context"
	"log/slog"

	"github.com/google/wire"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/chromium"
	"github.com/atelierhq/atelier/adapters/credentials"
	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/adapters/nameservers"
	"github.com/atelierhq/atelier/adapters/netguard"
	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/adapters/regexsearch"
	"github.com/atelierhq/atelier/adapters/scaffold"
	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/dns"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/markup"
	guardport "github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/packages"
	"github.com/atelierhq/atelier/ports/replica"
	"github.com/atelierhq/atelier/ports/sandbox"
	scaffoldport "github.com/atelierhq/atelier/ports/scaffold"
	"github.com/atelierhq/atelier/ports/screenshot"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/toolchain"
	"github.com/atelierhq/atelier/ports/typecheck"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// New assembles a program of one service: a database on the disk (or PostgreSQL
// where DATABASE_URL says so), files on the disk, builds in workers where the settings
// name a Program for them and in process otherwise. The settings must have their secrets. The function that it returns gives back what the
// adapters hold, after the App is closed.
func New(ctx context.Context, settings bootstrap.Settings, log *slog.Logger) (*bootstrap.App, func(), error) {
	wire.Build(
		bootstrap.UseCases,
		database,
		trees, wire.Bind(new(worktree.Trees), new(*disk.Trees)),
		deployments, wire.Bind(new(sites.Store), new(*disk.Sites)),
		repositories, wire.Bind(new(vcs.Repositories), new(*git.Repositories)),
		git.NewWire, wire.Bind(new(vcs.Wire), new(*git.Wire)),
		plainRemotes, git.NewRemotes, wire.Bind(new(vcs.Remotes), new(*git.Remotes)),
		openBetween, wire.FieldsOf(new(between), "Bus", "Unsaved"),
		recordLocks,
		wire.Value(yjs.Maker{}), wire.Bind(new(replica.Maker), new(yjs.Maker)),
		regexsearch.New, wire.Bind(new(search.Engine), new(*regexsearch.Engine)),
		scaffold.New, wire.Bind(new(scaffoldport.Templates), new(*scaffold.Templates)),
		registry, wire.Bind(new(packages.Resolver), new(*npm.Resolver)),
		newWorkshop, wire.Bind(new(build.Builder), new(workshop)), wire.Bind(new(build.SyntaxChecker), new(workshop)), wire.Bind(new(markup.Patcher), new(workshop)),
		tokens, wire.Bind(new(identity.Tokens), new(*credentials.Tokens)),
		passwords, wire.Bind(new(identity.Passwords), new(*credentials.Passwords)),
		sealer, wire.Bind(new(identity.Sealer), new(*credentials.Sealer)),
		bootstrap.Commands, wire.Bind(new(sandbox.Runner), new(*bwrap.Runner)),
		tools, wire.Bind(new(toolchain.Toolchain), new(*bwrap.Tools)),
		types, wire.Bind(new(typecheck.Checker), new(*bwrap.TypeChecker)),
		camera, wire.Bind(new(screenshot.Camera), new(*chromium.Camera)),
		guard, wire.Bind(new(guardport.Guard), new(*netguard.Guard)),
		bootstrap.Models,
		bootstrap.OAuthProviders, bootstrap.Mail,
		bootstrap.NameServers, wire.Bind(new(dns.Resolver), new(*nameservers.Resolver)),
		exclusive,
	)
	return nil, nil, nil
}
