package chat

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Times of a run's lease: how long a process may go without renewing it before its
// runs count as interrupted, and how often it renews.
const (
	leaseTime     = 15 * time.Second
	renewInterval = 5 * time.Second
)

// leases are this process's leases on runs. The row of a run names the process that holds
// the lease, and when it expires. Only the holder works on the run.
type leases struct {
	store storage.Store
	// owner names this process as a holder.
	owner string
	now   func() time.Time
}

// expiry returns when a lease expires that is granted or renewed now.
func (l *leases) expiry() core.Time { return core.At(l.now()).Add(leaseTime) }

// holds reports whether this process holds the lease of a running run.
func (l *leases) holds(run core.Run) bool {
	return run.Owner == l.owner && run.Status == core.RunRunning
}

// isAbandoned reports whether a run's lease expired so long ago that another process should
// have taken the run over.
func (l *leases) isAbandoned(run core.Run) bool {
	return run.Status == core.RunRunning && run.LeaseUntil.Add(2*leaseTime) < core.At(l.now())
}

// update changes the row of a run under this process's lease. It returns errTaken if the
// process does not hold the lease any more.
func (l *leases) update(ctx context.Context, tables storage.Tables, run core.ID, change func(*core.Run)) (core.Run, error) {
	return tables.Runs.Update(ctx, run, func(r *core.Run) error {
		if !l.holds(*r) {
			return errTaken
		}
		change(r)
		return nil
	})
}

// check returns errTaken if this process does not hold the lease of a run any more.
func (l *leases) check(ctx context.Context, tables storage.Tables, run core.ID) error {
	current, err := tables.Runs.ByID(ctx, run)
	if err == nil && !l.holds(current) {
		return errTaken
	}
	return err
}

// renew extends the lease of a run, and returns the run's current row.
func (l *leases) renew(ctx context.Context, run core.ID) (core.Run, error) {
	return l.update(ctx, l.store.Tables(), run, func(r *core.Run) { r.LeaseUntil = l.expiry() })
}

// takeOver moves the expired lease of a run to this process. It returns core.CodeConflict
// if the holder renewed it since the run was read, or if another process was faster.
func (l *leases) takeOver(ctx context.Context, run core.Run) (core.Run, error) {
	return l.store.Tables().Runs.Update(ctx, run.ID, func(r *core.Run) error {
		if r.Status != run.Status || r.Owner != run.Owner || r.LeaseUntil != run.LeaseUntil {
			return core.Errorf(core.CodeConflict, "the run is %s and its process is running", r.Status)
		}
		r.Owner, r.LeaseUntil = l.owner, l.expiry()
		return nil
	})
}
