package models

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/storage"
)

// bookings lets the calls of a workspace be booked one by one. All of them change the workspace's
// row, and a database with serializable transactions refuses all but one of those that do so at
// once: on a busy machine the slowest was refused until it gave up.
type bookings struct{ mutex ctxsync.KeyedMutex[core.ID] }

// bookingPatience bounds the wait for other calls of the workspace to be booked.
const bookingPatience = 10 * time.Second

// wait waits until no other call of the workspace is being booked by this process, and returns what
// lets the next one. After bookingPatience the database decides again.
func (b *bookings) wait(ctx context.Context, workspace core.ID) (next func()) {
	waiting, cancel := context.WithTimeout(ctx, bookingPatience)
	defer cancel()
	unlock, err := b.mutex.Lock(waiting, workspace)
	if err != nil {
		return func() {}
	}
	return unlock
}

// book adds a call's cost to the use of its workspace and of the spenders. The
// spenders pay even if the workspace has been deleted meanwhile.
func book(ctx context.Context, tables storage.Tables, workspace core.ID, spenders []core.ID, row core.UsageRow) error {
	err := tables.Usage.Add(ctx, workspace, row)
	if err == nil && row.Cost > 0 {
		_, err = tables.Workspaces.Update(ctx, workspace, func(w *core.Workspace) error {
			w.CreditUsed += row.Cost
			return nil
		})
	}
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	return tables.Usage.Charge(ctx, spenders, row.Cost)
}
