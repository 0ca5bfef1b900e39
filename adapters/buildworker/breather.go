package buildworker

import (
	"runtime/debug"
	"sync"
	"time"
)

// Between calls.
const (
	// breath is how long a worker without work keeps the memory of the last call for the
	// next one.
	breath = 10 * time.Second
	// breathCPU is how much processor time giving it back may take.
	breathCPU = 5 * time.Second
)

// breather gives memory back to the system when no call has come for a while. What the
// builder remembers stays, so the next call is as quick.
type breather struct {
	mu       sync.Mutex
	busy     int
	wait     *time.Timer
	giveBack func()
}

func newBreather(giveBack func()) *breather {
	b := &breather{giveBack: giveBack}
	b.wait = time.AfterFunc(breath, b.breathe)
	return b
}

// freeMemory is what the breather of a worker does.
func freeMemory() {
	// What is left of the last call's processor time may be too little.
	if limitCPU(breathCPU) == nil {
		debug.FreeOSMemory()
	}
}

func (b *breather) breathe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy == 0 {
		b.giveBack()
	}
}

// begin says that a call begins, and waits until no memory is being given back.
func (b *breather) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wait.Stop()
	b.busy++
}

// end says that a call has ended.
func (b *breather) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy--; b.busy == 0 {
		b.wait.Reset(breath)
	}
}
