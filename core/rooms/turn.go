package rooms

import "context"

// turn is a mutex whose waiters can give up: a semaphore for one, made as a channel with
// room for one.
type turn chan struct{}

// take acquires the lock. It returns ctx's error if ctx ends first.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// give releases the lock.
func (t turn) give() { <-t }
