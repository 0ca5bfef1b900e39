package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/broadcast/broadcasttest"
)

func TestBus(t *testing.T) {
	broadcasttest.Run(t, func(*testing.T) (here, there broadcast.Bus) {
		bus := memory.NewBus()
		return bus, bus
	})
}
