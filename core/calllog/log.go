package calllog

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/loglimit"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
)

// Retention is how long calls are kept.
const Retention = 7 * 24 * time.Hour

const (
	// flushEvery is the interval of storing calls, maxBatch the most that are stored at once.
	flushEvery = time.Second
	maxBatch   = 200
	// pruneEvery is the interval of removing old calls.
	pruneEvery = time.Hour
	// warnEvery limits the warnings in the service's own log.
	warnEvery = time.Minute
)

// Deps has the dependencies of a Log. Its own Log gets the errors of storing calls.
type Deps struct {
	Store storage.Store
	Gate  *access.Gate
	// Tally counts calls that no log has.
	Tally *telemetry.Tally
	Now   func() time.Time
	Log   *slog.Logger
}

// Log has the logs of all backends. It may be used by many goroutines. A nil *Log discards calls.
type Log struct {
	deps    Deps
	warn    *loglimit.Limiter
	pending *buffer
	// flushing is held while calls are stored.
	flushing *ctxsync.Mutex
	wake     ctxsync.Signal

	stopped context.Context
	stop    context.CancelFunc
	worker  sync.WaitGroup
}

// New returns the logs in a store.
func New(deps Deps) *Log {
	l := &Log{deps: deps, warn: loglimit.New(deps.Log, warnEvery), pending: newPending(), flushing: ctxsync.NewMutex(), wake: ctxsync.NewSignal()}
	deps.Tally.Add(telemetry.DroppedCalls, "", 0)
	l.stopped, l.stop = context.WithCancel(context.Background())
	return l
}

// Add keeps a finished call. It never waits. It sets the ID and cuts long values.
func (l *Log) Add(call core.BackendCall) {
	if l == nil {
		return
	}
	if !l.pending.add(bounded(call), l.deps.Now()) {
		l.deps.Tally.Add(telemetry.DroppedCalls, "", 1)
		return
	}
	l.wake.Send()
}

// List returns a page of an environment's calls to the project's members, the newest first.
func (l *Log) List(ctx context.Context, by core.Actor, at backend.Place, filter storage.CallFilter, page core.Page) ([]core.BackendCall, error) {
	if _, err := l.deps.Gate.Project(ctx, by, core.ActionBackendRead, at.Project); err != nil {
		return nil, err
	}
	// A read-only database can still be read.
	_ = l.flush(ctx)
	return l.deps.Store.Tables().BackendCalls.List(ctx, at.Project, at.Env, filter, page)
}

// Start starts the worker that stores calls, and removes old ones.
func (l *Log) Start() { l.worker.Go(l.run) }

// Close stops the worker and stores what is left. It returns ctx's error if ctx ends first.
func (l *Log) Close(ctx context.Context) error {
	l.stop()
	l.worker.Wait()
	return l.flush(ctx)
}

func (l *Log) run() {
	prune := time.NewTicker(pruneEvery)
	defer prune.Stop()
	l.prune()
	for {
		select {
		case <-l.stopped.Done():
			return
		case <-prune.C:
			l.prune()
		case <-l.wake:
			if ctxsync.Sleep(l.stopped, flushEvery) != nil {
				return
			}
			if l.flush(l.stopped) != nil {
				l.wake.Send()
			}
		}
	}
}

// flush stores the pending calls. Those that the database does not accept stay pending.
func (l *Log) flush(ctx context.Context) error {
	if err := l.flushing.Lock(ctx); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the logs could not be read")
	}
	defer l.flushing.Unlock()
	if left := l.pending.leftOut(); left > 0 {
		l.warn.Warn(ctx, "calls of backends are not in their logs, because too many came at once", "calls", left)
	}
	for {
		batch := l.pending.first(maxBatch)
		if len(batch) == 0 {
			return nil
		}
		err := l.deps.Store.Tables().BackendCalls.Append(ctx, batch)
		if core.IsCode(err, core.CodeUnavailable) {
			if ctx.Err() == nil {
				l.warn.Warn(ctx, "could not store the logs of backends", "error", err)
			}
			return err
		}
		if err != nil {
			l.warn.Warn(ctx, "calls of backends cannot be stored", "calls", len(batch), "error", err)
			l.deps.Tally.Add(telemetry.DroppedCalls, "", float64(len(batch)))
		}
		l.pending.remove(len(batch))
	}
}

// prune removes calls older than Retention.
func (l *Log) prune() {
	err := l.deps.Store.Tables().BackendCalls.Prune(l.stopped, core.At(l.deps.Now()).Add(-Retention))
	if err != nil && l.stopped.Err() == nil {
		l.warn.Warn(l.stopped, "could not remove old logs of backends", "error", err)
	}
}
