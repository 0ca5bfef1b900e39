package memory

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/locks/lockstest"
)

func TestLocks(t *testing.T) {
	lockstest.Run(t, func(*testing.T) (here, there locks.Locker) {
		shared := NewLocks()
		return shared, shared
	})
}

func TestLocksKeepNothingOfIdleProjects(t *testing.T) {
	shared := NewLocks()
	var running sync.WaitGroup
	for worker := range 4 {
		running.Go(func() {
			for i := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if worker%2 == 0 {
					cancel()
				}
				if _, unlock, err := shared.Lock(ctx, core.ID(fmt.Sprint(i%10))); err == nil {
					unlock()
				}
				cancel()
			}
		})
	}
	running.Wait()
	if got := len(shared.keys); got != 0 {
		t.Errorf("got %d locks kept, want none", got)
	}
}
