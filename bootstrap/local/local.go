package local

import (
	"context"
	"log/slog"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// New assembles a program of one service. The database is on the disk (or PostgreSQL if
// DATABASE_URL says so), and files are on the disk. Builds run in workers if the settings
// name a Program for them, otherwise in this process. The settings must have their
// secrets. release frees what the adapters hold; call it after App.Close.
func New(ctx context.Context, s settings.Settings, log *slog.Logger) (app *bootstrap.App, release func(), err error) {
	return NewWith(ctx, s, log, Parts{})
}

// NewWith is New with some adapters of the host's own. Parts that do not work with the
// remaining ones are an error that names what is missing.
func NewWith(ctx context.Context, s settings.Settings, log *slog.Logger, parts Parts) (app *bootstrap.App, release func(), err error) {
	if err := parts.check(); err != nil {
		return nil, nil, err
	}
	return assemble(ctx, s, log, parts)
}
