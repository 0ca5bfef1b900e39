package rooms

import "context"

// turn is a lock for which nobody waits longer than they have time. It is made with room
// for one.
type turn chan struct{}

// take waits until it is the caller's turn. Its error is ctx's.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// give lets the next have their turn.
func (t turn) give() { <-t }
