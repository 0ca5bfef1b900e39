package ctxsync

import (
	"context"
	"sync"
)

// SingleFlight lets concurrent callers of a key share one call of a function (single
// flight). It keeps no results: the next caller after the call starts another one. The
// zero value is ready to use.
type SingleFlight[K comparable, V any] struct {
	mu    sync.Mutex
	calls map[K]*Call[V]
}

// Call is a call that callers share.
type Call[V any] struct {
	// callers counts those that wait in Do. A detached call also serves Start's callers.
	callers  int
	detached bool
	cancel   context.CancelFunc

	done  chan struct{}
	value V
	err   error
}

// Do returns the result of run for key, or ctx's error as soon as ctx ends. It joins a
// call that is running. The context of run has ctx's values. It is cancelled when all
// callers have given up, not with the first; the last of them waits for run to return, so
// that no work goes on unseen.
func (s *SingleFlight[K, V]) Do(ctx context.Context, key K, run func(context.Context) (V, error)) (V, error) {
	call := s.join(ctx, key, false, run)
	value, err := call.Wait(ctx)
	if s.leave(key, call) {
		<-call.done
	}
	return value, err
}

// Start starts run for key without waiting for it, or joins a call that is running. The
// call goes on when its callers give up. The context of run has ctx's values, but not
// its end.
func (s *SingleFlight[K, V]) Start(ctx context.Context, key K, run func(context.Context) (V, error)) *Call[V] {
	return s.join(ctx, key, true, run)
}

// Wait returns the result of the call, or ctx's error if ctx ends first.
func (c *Call[V]) Wait(ctx context.Context) (V, error) {
	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
		var zero V
		return zero, ctx.Err()
	}
}

func (s *SingleFlight[K, V]) join(ctx context.Context, key K, detached bool, run func(context.Context) (V, error)) *Call[V] {
	s.mu.Lock()
	defer s.mu.Unlock()
	call, found := s.calls[key]
	if !found {
		runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		call = &Call[V]{cancel: cancel, done: make(chan struct{})}
		if s.calls == nil {
			s.calls = map[K]*Call[V]{}
		}
		s.calls[key] = call
		go s.run(runCtx, key, call, run)
	}
	call.callers++
	call.detached = call.detached || detached
	return call
}

func (s *SingleFlight[K, V]) run(ctx context.Context, key K, call *Call[V], run func(context.Context) (V, error)) {
	defer call.cancel()
	call.value, call.err = run(ctx)
	s.forget(key, call)
	close(call.done)
}

func (s *SingleFlight[K, V]) forget(key K, call *Call[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[key] == call {
		delete(s.calls, key)
	}
}

// leave removes a caller of Do. If it was the last of a call that is not detached, leave
// cancels the call, lets later callers start another one, and returns true.
func (s *SingleFlight[K, V]) leave(key K, call *Call[V]) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	call.callers--
	if call.callers > 0 || call.detached {
		return false
	}
	call.cancel()
	if s.calls[key] == call {
		delete(s.calls, key)
	}
	return true
}
