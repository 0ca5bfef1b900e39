package npm

import (
	"context"
	"sync"
)

// flights is a single flight: callers that want the same thing at the same time share one
// call. The call is cancelled when all its callers have given up, not with the first.
type flights[V any] struct {
	mu      sync.Mutex
	flights map[string]*flight[V]
}

type flight[V any] struct {
	waiting int
	cancel  context.CancelFunc
	landed  chan struct{}
	value   V
	err     error
}

// do returns the result of run for key, or ctx's error as soon as ctx ends. The last
// caller to give up waits for run to return, so that no work goes on unseen.
func (f *flights[V]) do(ctx context.Context, key string, run func(context.Context) (V, error)) (V, error) {
	current := f.board(ctx, key, run)
	select {
	case <-current.landed:
		f.leave(key, current)
		return current.value, current.err
	case <-ctx.Done():
		if f.leave(key, current) {
			<-current.landed
		}
		var none V
		return none, ctx.Err()
	}
}

func (f *flights[V]) board(ctx context.Context, key string, run func(context.Context) (V, error)) *flight[V] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if current, found := f.flights[key]; found {
		current.waiting++
		return current
	}
	if f.flights == nil {
		f.flights = make(map[string]*flight[V])
	}
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	current := &flight[V]{waiting: 1, cancel: cancel, landed: make(chan struct{})}
	f.flights[key] = current
	go func() {
		current.value, current.err = run(runCtx)
		f.mu.Lock()
		if f.flights[key] == current {
			delete(f.flights, key)
		}
		f.mu.Unlock()
		close(current.landed)
	}()
	return current
}

// leave removes a caller. If it was the last, leave cancels the call, lets later callers
// start another one, and returns true.
func (f *flights[V]) leave(key string, current *flight[V]) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	current.waiting--
	if current.waiting > 0 {
		return false
	}
	current.cancel()
	if f.flights[key] == current {
		delete(f.flights, key)
	}
	return true
}
