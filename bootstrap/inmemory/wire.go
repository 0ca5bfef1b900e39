//go:build wireinject

package inmemory

import (
	"context"
	"log/slog"

	"github.com/google/wire"

	"github.com/atelierhq/atelier/adapters/memory"
	membrowser "github.com/atelierhq/atelier/adapters/memory/browser"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/packages"
	"github.com/atelierhq/atelier/ports/scaffold"
)

// New assembles a program that keeps everything in memory and reaches no network:
// the whole core on fakes. It takes of the settings what does not name a place.
func New(ctx context.Context, s settings.Settings, log *slog.Logger) (*bootstrap.App, func(), error) {
	wire.Build(
		fakes,
		memory.NewTemplates, wire.Bind(new(scaffold.Templates), new(*memory.Templates)),
		registry, wire.Bind(new(packages.Resolver), new(*memory.Packages)),
		memory.NewBuilder, wire.Bind(new(build.Builder), new(*memory.Builder)), wire.Bind(new(build.SyntaxChecker), new(*memory.Builder)),
		vendors, wire.Bind(new(ai.Factory), new(*memory.Factory)),
		membrowser.New, wire.Bind(new(browser.Browser), new(*membrowser.Browser)),
	)
	return nil, nil, nil
}

// NewWith assembles a program that keeps everything in memory, with the caller's
// models, templates, packages, builder and browser.
func NewWith(ctx context.Context, s settings.Settings, log *slog.Logger, parts Parts) (*bootstrap.App, error) {
	wire.Build(fakes, wire.FieldsOf(new(Parts), "Models", "Templates", "Packages", "Builder", "Syntax"), openBrowser)
	return nil, nil
}
