package memory

import (
	"testing"

	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/locks/lockstest"
)

func TestLocks(t *testing.T) {
	lockstest.Run(t, func(*testing.T) (here, there locks.Locker) {
		shared := NewLocks()
		return shared, shared
	})
}
