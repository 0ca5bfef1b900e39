package ctxsync

import (
	"context"
	"sync"
)

// Wait waits until the goroutines of a group have ended. It returns ctx's error if ctx ends first.
func Wait(ctx context.Context, group *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
