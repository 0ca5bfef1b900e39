package local

import (
	"context"
	"log/slog"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// New assembles a program of one service: a database on the disk (or PostgreSQL where
// DATABASE_URL says so), files on the disk, builds in workers where the settings name a
// Program for them and in process otherwise. The settings must have their secrets.
// release gives back what the adapters hold; call it after App.Close.
func New(ctx context.Context, s settings.Settings, log *slog.Logger) (app *bootstrap.App, release func(), err error) {
	return NewWith(ctx, s, log, Parts{})
}

// NewWith is New with some adapters of the host's own. Parts that cannot work with the
// remaining ones are an error that names what is missing.
func NewWith(ctx context.Context, s settings.Settings, log *slog.Logger, parts Parts) (app *bootstrap.App, release func(), err error) {
	if err := parts.check(); err != nil {
		return nil, nil, err
	}
	return assemble(ctx, s, log, parts)
}
