package tasks

import (
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Times of a task's lease: how long a process may go without renewing it before another goes on
// with its step, and how often it renews.
const (
	lease         = 15 * time.Second
	renewInterval = 5 * time.Second
)

// errLeft keeps a lease as it is.
var errLeft = core.Errorf(core.CodeConflict, "the lease has ended")

// hold renews the lease that this process has on a task until the step is over or stop is called,
// which waits. Whatever else sets DueAt ends the lease. A process that lost its lease goes on:
// every step can be carried out twice.
func (b *Board) hold(ctx context.Context, task core.Task) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var renewal sync.WaitGroup
	renewal.Go(func() {
		ticker := time.NewTicker(renewInterval)
		defer ticker.Stop()
		until := task.DueAt
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			renewed, err := renew(ctx, b.deps.Store.Tables(), task.ID, until, b.now)
			switch {
			case err == nil:
				until = renewed
			case core.IsCode(err, core.CodeConflict), core.IsCode(err, core.CodeNotFound), ctx.Err() != nil:
				return
			default:
				b.deps.Log.WarnContext(ctx, "could not renew the lease of a task", "task", task.ID, "error", err)
			}
		}
	})
	return func() {
		cancel()
		renewal.Wait()
	}
}

// renew extends a lease that ends at until.
func renew(ctx context.Context, tables storage.Tables, id core.ID, until core.Time, now func() core.Time) (core.Time, error) {
	task, err := tables.Tasks.Update(ctx, id, func(stored *core.Task) error {
		if stored.DueAt != until {
			return errLeft
		}
		stored.DueAt = now().Add(lease)
		return nil
	})
	return task.DueAt, err
}
