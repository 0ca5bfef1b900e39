package chat

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
)

// heartbeat renews the lease of a run while this process works on it, and cancels the run
// if somebody asks for that or if its person lost access.
type heartbeat struct {
	*executor
	run core.Run
}

// start begins to watch for stop requests before it returns, so that none is missed, and
// goes on in a goroutine until ctx ends.
func (h heartbeat) start(ctx context.Context) {
	notices, err := h.bus.Follow(ctx, h.run.ProjectID)
	if err != nil {
		h.log.WarnContext(ctx, "could not subscribe to stop requests: polling for them", "run", h.run.ID, "error", err)
	}
	go h.keep(ctx, notices)
}

// keep renews the lease, and ends the run if another process asks for it.
func (h heartbeat) keep(ctx context.Context, notices <-chan *core.Notice) {
	if stored, err := h.store.Tables().Runs.ByID(ctx, h.run.ID); err == nil && stored.StopRequested {
		h.active.cancel(h.run.ID, errStopped)
	}
	ticker := time.NewTicker(renewInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case notice, open := <-notices:
			if !open {
				notices = nil
				continue
			}
			if notice.Kind == core.NoticeRunStop && notice.RunID == h.run.ID {
				h.active.cancel(h.run.ID, errStopped)
			}
		case <-ticker.C:
			h.renew(ctx)
		}
	}
}

// renew extends the lease, looks for a stop request whose notice was lost, and ends
// the run of a person who may no longer use the chat.
func (h heartbeat) renew(ctx context.Context) {
	renewed, err := h.leases.renew(ctx, h.run.ID)
	if errors.Is(err, errTaken) {
		h.active.cancel(h.run.ID, errTaken)
		return
	}
	if err != nil && ctx.Err() == nil {
		h.limitedLog.Warn(ctx, "could not renew a lease", "run", h.run.ID, "error", err)
	}
	if renewed.StopRequested {
		h.active.cancel(h.run.ID, errStopped)
	}
	h.cancelWithoutAccess(ctx)
}

// cancelWithoutAccess cancels the run if the person who started it may not use its chat any
// more. If the database does not answer, the run goes on.
func (h heartbeat) cancelWithoutAccess(ctx context.Context) {
	_, err := h.gate.Project(ctx, core.Unattended(h.run.UserID), core.ActionChat, h.run.ProjectID)
	if lostAccess(err) {
		h.active.cancel(h.run.ID, errStopped)
	}
}

// lostAccess reports whether the gate refused, as opposed to a failure to ask it.
func lostAccess(err error) bool {
	return core.IsCode(err, core.CodeNotFound) || core.IsCode(err, core.CodeForbidden) || core.IsCode(err, core.CodeMFASetupRequired)
}
