package local

import (
	"context"
	"log/slog"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/nats"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// between is what goes between the processes of one installation.
type between struct {
	Bus     broadcast.Bus
	Unsaved unsaved.Registry
}

// openBetween connects to the NATS server that the settings name. Where they name none
// there is one process, which needs nothing between.
func openBetween(ctx context.Context, s bootstrap.Settings, log *slog.Logger) (between, func(), error) {
	if s.NATS.URL == "" {
		return between{memory.NewBus(), memory.NewUnsaved()}, func() {}, nil
	}
	conn, err := nats.Connect(ctx, nats.Config{URL: s.NATS.URL, Prefix: s.NATS.Prefix, Log: log})
	if err != nil {
		return between{}, nil, err
	}
	return between{conn.Bus(), conn.Unsaved()}, conn.Close, nil
}
