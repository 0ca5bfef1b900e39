package local

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/nats"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// transport holds the adapters for communication between the processes of one installation.
type transport struct {
	Bus     broadcast.Bus
	Unsaved unsaved.Registry
}

// openTransport connects to the NATS server that the settings name. If they name none,
// there is only one process, which needs no server.
func openTransport(ctx context.Context, s settings.Settings, store storage.Store, parts Parts, log *slog.Logger) (transport, func(), error) {
	given := transport{parts.Bus, parts.Unsaved}
	if given.Bus != nil && given.Unsaved != nil {
		return given, func() {}, nil
	}
	if s.NATS.URL == "" {
		return given.or(transport{memory.NewBus(), memory.NewUnsaved()}), func() {}, nil
	}
	ownerOf := func(ctx context.Context, project core.ID) (core.ID, error) {
		return store.Tables().Rooms.Owner(ctx, project, core.At(store.Now()))
	}
	conn, err := nats.Connect(ctx, nats.Config{URL: s.NATS.URL, Prefix: s.NATS.Prefix, Pace: s.Pace, Log: log, OwnerOf: ownerOf})
	if err != nil {
		return transport{}, nil, err
	}
	return given.or(transport{conn.Bus(), conn.Unsaved()}), conn.Close, nil
}

// or fills in missing fields.
func (t transport) or(other transport) transport {
	return transport{cmp.Or(t.Bus, other.Bus), cmp.Or(t.Unsaved, other.Unsaved)}
}
