package buildworker

import (
	"runtime/debug"
	"sync"
	"time"
)

// Intervals and bounds between calls.
const (
	// breath is how long an idle worker keeps the memory of the last call for the next
	// one.
	breath = 10 * time.Second
	// breathCPU is how much processor time freeing the memory may take.
	breathCPU = 5 * time.Second
)

// breather returns memory to the system some time after the last call (debounce). The
// builder's caches stay, so the next call is as quick.
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

// freeMemory is the function that a worker's breather calls.
func freeMemory() {
	// The processor time left over from the last call may not suffice.
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

// begin announces a call, and waits while memory is being freed.
func (b *breather) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wait.Stop()
	b.busy++
}

// end announces the end of a call.
func (b *breather) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy--; b.busy == 0 {
		b.wait.Reset(breath)
	}
}
