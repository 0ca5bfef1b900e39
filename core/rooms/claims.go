package rooms

import (
	"context"
	"log/slog"
	"math"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// claimTTL is how long a process keeps its claim of a room without renewing it.
const claimTTL = 9 * time.Second

// claims are this process's leases on rooms, which make it the only writer of their rows.
type claims struct {
	// owner names this process.
	owner core.ID
	store storage.Store
	// exclusive says that claims of other processes do not count: those are dead.
	exclusive core.SoleProcess
	now       func() time.Time
	log       *slog.Logger
}

// acquire claims a project's room and returns its stored state. It returns
// core.CodeUnavailable while another process's claim lasts.
func (c *claims) acquire(ctx context.Context, project core.ID) (core.RoomState, error) {
	now := c.now()
	expired := core.At(now)
	if c.exclusive {
		expired = math.MaxInt64
	}
	state, err := c.store.Tables().Rooms.Claim(ctx, project, c.owner, expired, core.At(now.Add(claimTTL)))
	if core.IsCode(err, core.CodeConflict) {
		return state, core.Wrap(core.CodeUnavailable, err, "the room is open in another process: try again")
	}
	return state, err
}

// release ends the claim of a project's room.
func (c *claims) release(ctx context.Context, project core.ID) error {
	return c.store.Tables().Rooms.Release(ctx, project, c.owner)
}

// keep renews the claims of the rooms that open returns, until ctx ends.
func (c *claims) keep(ctx context.Context, open func() map[core.ID]*room) {
	ticker := time.NewTicker(claimTTL / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			c.renew(ctx, open())
		}
	}
}

// renew renews the claims of open rooms, and abandons the rooms that other processes have
// claimed.
func (c *claims) renew(ctx context.Context, open map[core.ID]*room) {
	if len(open) == 0 {
		return
	}
	held, err := c.store.Tables().Rooms.Renew(ctx, c.owner, core.At(c.now().Add(claimTTL)))
	if err != nil {
		if ctx.Err() == nil {
			c.log.Warn("could not renew the claims of rooms", "error", err)
		}
		return
	}
	for _, project := range held {
		delete(open, project)
	}
	for project, r := range open {
		c.log.Warn("lost a room to another process", "project", project)
		r.state.abandon()
	}
}
