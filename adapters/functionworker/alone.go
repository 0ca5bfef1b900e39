package functionworker

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/functions"
)

const (
	// aloneAtATime bounds the workers that run one call each.
	aloneAtATime = 2
	// suspectTime is how long code that was running when a worker died runs alone. maxSuspects
	// bounds how much code is remembered.
	suspectTime = 10 * time.Minute
	maxSuspects = 1000
)

// quarantine runs calls in separate workers: calls that had not acted when the shared
// worker died, and for a while all calls of the code that was running then. So code that
// crashes its worker affects other calls at most once.
type quarantine struct {
	start  func() (*process, error)
	places chan struct{}

	life context.Context
	end  context.CancelFunc
	runs sync.WaitGroup

	mu       sync.Mutex
	suspects *lru.Cache[[sha256.Size]byte, time.Time]
}

func newQuarantine(start func() (*process, error)) *quarantine {
	q := &quarantine{
		start: start, places: make(chan struct{}, aloneAtATime),
		suspects: lru.New[[sha256.Size]byte](maxSuspects, func(time.Time) int64 { return 1 }),
	}
	q.life, q.end = context.WithCancel(context.Background())
	return q
}

// close ends the workers.
func (q *quarantine) close() {
	q.mu.Lock()
	q.end()
	q.mu.Unlock()
	q.runs.Wait()
}

func (q *quarantine) isSuspect(code []byte) bool {
	since, found := q.suspects.Get(sha256.Sum256(code))
	return found && time.Since(since) < suspectTime
}

func (q *quarantine) suspect(code []byte) { q.suspects.Put(sha256.Sum256(code), time.Now()) }

func (q *quarantine) acquit(code []byte) { q.suspects.Put(sha256.Sum256(code), time.Time{}) }

// run runs a call in a separate worker. If the call ends normally, its code is no longer suspect.
func (q *quarantine) run(ctx context.Context, call functions.Call, host functions.Host) (functions.Result, error) {
	select {
	case q.places <- struct{}{}:
		defer func() { <-q.places }()
	case <-ctx.Done():
		return functions.Result{}, ctx.Err()
	}
	worker, err := q.open()
	if err != nil {
		return functions.Result{}, err
	}
	defer q.runs.Done()
	defer worker.Dismiss()
	defer context.AfterFunc(q.life, worker.Kill)()
	found, err := worker.run(ctx, call, host)
	var lost *lostError
	if !errors.As(err, &lost) && ctx.Err() == nil {
		q.acquit(call.Code)
	}
	return found, err
}

// open starts a worker, unless the pool is closed.
func (q *quarantine) open() (*process, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.life.Err() != nil {
		return nil, core.Errorf(core.CodeUnavailable, "the service is shutting down")
	}
	worker, err := q.start()
	if err == nil {
		q.runs.Add(1)
	}
	return worker, err
}
