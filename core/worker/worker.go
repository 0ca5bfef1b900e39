// Package worker has the loop of the workers that carry out what is due in the database:
// mails to send, runs that wait, domains to check. Each record is claimed with a lease, so
// that several processes may work on the same table.
package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/core/ctxsync"
)

// Loop claims work that is due and carries it out. Then it sleeps until it is woken, until
// some of the work is over, or until the next poll.
type Loop struct {
	// Claim claims one piece of work that is due for this process, and returns what carries
	// it out. It returns nil if nothing is due, or if nothing more may begin now. It is not
	// called concurrently.
	Claim func(ctx context.Context) (work func())
	// Wake makes the loop look for work at once; nil leaves it to the polls.
	Wake ctxsync.Signal
	// Poll is how often the loop looks for work without a signal: what another
	// process stored, what is due again, or what a crash left behind.
	Poll time.Duration
	// AtPoll is called at each poll, before Claim; nil does nothing.
	AtPoll func(ctx context.Context)
	// Concurrency bounds how much work is carried out at a time; 0 leaves that to Claim.
	Concurrency int64
}

// Run claims work until ctx ends, and returns when what it began is over. Each piece of work
// has a goroutine of its own.
func (l Loop) Run(ctx context.Context) {
	if l.Wake == nil {
		l.Wake = ctxsync.NewSignal()
	}
	r := run{Loop: l}
	defer r.tasks.Wait()
	ticker := time.NewTicker(l.Poll)
	defer ticker.Stop()
	for {
		r.claimAll(ctx)
		select {
		case <-ctx.Done():
			return
		case <-l.Wake:
		case <-ticker.C:
			if l.AtPoll != nil {
				l.AtPoll(ctx)
			}
		}
	}
}

// run is one call of Loop.Run.
type run struct {
	Loop
	tasks  sync.WaitGroup
	active atomic.Int64
}

// claimAll begins work as long as some is due and concurrency allows.
func (r *run) claimAll(ctx context.Context) {
	for ctx.Err() == nil && (r.Concurrency == 0 || r.active.Load() < r.Concurrency) {
		work := r.Claim(ctx)
		if work == nil {
			return
		}
		r.active.Add(1)
		r.tasks.Go(func() {
			work()
			r.active.Add(-1)
			r.Wake.Send()
		})
	}
}
