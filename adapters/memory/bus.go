package memory

import (
	"context"

	"github.com/atelierhq/atelier/adapters/internal/pubsub"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/broadcast"
)

// Bus carries notices between the goroutines of one process.
type Bus struct{ hub *pubsub.Hub }

var _ broadcast.Bus = (*Bus)(nil)

// NewBus returns a bus without followers.
func NewBus() *Bus { return &Bus{hub: pubsub.NewHub()} }

// Publish implements broadcast.Bus. It never fails.
func (b *Bus) Publish(_ context.Context, notice core.Notice) error {
	b.hub.Publish(&notice)
	return nil
}

// Follow implements broadcast.Bus. It never fails.
func (b *Bus) Follow(ctx context.Context, project core.ID) (<-chan *core.Notice, error) {
	return b.hub.Subscribe(ctx, project, func() {}), nil
}

// Check implements broadcast.Bus: memory always works.
func (b *Bus) Check(context.Context) error { return nil }
