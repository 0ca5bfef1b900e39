package ctxsync

import (
	"context"
	"errors"
	"sync"
)

// Mutex is a mutex whose callers can give up waiting. They get the lock in order. It is
// not reentrant.
type Mutex struct{ slot chan struct{} }

// NewMutex returns a mutex that nobody holds.
func NewMutex() *Mutex { return &Mutex{make(chan struct{}, 1)} }

// Lock waits until the caller holds the mutex. It returns ctx's error if ctx ends first.
func (m *Mutex) Lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case m.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Unlock releases the mutex, which the caller holds.
func (m *Mutex) Unlock() { <-m.slot }

// ErrFull is returned by KeyedMutex.Lock when a key has MaxCallers callers already.
var ErrFull = errors.New("too many callers wait for the lock")

// KeyedMutex is a Mutex for each key. A key takes memory only while callers hold its
// mutex or wait for it. The zero value is ready to use.
type KeyedMutex[K comparable] struct {
	// MaxCallers bounds the callers of one key: the holder plus those that wait. 0 means
	// no bound.
	MaxCallers int

	mu      sync.Mutex
	mutexes map[K]*countedMutex
}

// countedMutex counts the callers that hold it or wait for it. The last one to leave
// removes it from the map.
type countedMutex struct {
	*Mutex
	callers int
}

// Lock waits until the caller holds the mutex of key, and returns an idempotent function
// that releases it. It returns ctx's error if ctx ends first, or ErrFull.
func (k *KeyedMutex[K]) Lock(ctx context.Context, key K) (unlock func(), err error) {
	mutex, err := k.enter(key)
	if err != nil {
		return nil, err
	}
	if err := mutex.Lock(ctx); err != nil {
		k.leave(key, mutex)
		return nil, err
	}
	return sync.OnceFunc(func() {
		mutex.Unlock()
		k.leave(key, mutex)
	}), nil
}

func (k *KeyedMutex[K]) enter(key K) (*countedMutex, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	mutex := k.mutexes[key]
	if mutex == nil {
		mutex = &countedMutex{Mutex: NewMutex()}
		if k.mutexes == nil {
			k.mutexes = map[K]*countedMutex{}
		}
		k.mutexes[key] = mutex
	}
	if k.MaxCallers > 0 && mutex.callers == k.MaxCallers {
		return nil, ErrFull
	}
	mutex.callers++
	return mutex, nil
}

func (k *KeyedMutex[K]) leave(key K, mutex *countedMutex) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if mutex.callers--; mutex.callers == 0 {
		delete(k.mutexes, key)
	}
}
