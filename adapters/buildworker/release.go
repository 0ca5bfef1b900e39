package buildworker

import (
	"runtime/debug"
	"sync"
	"time"
)

// Intervals and bounds between calls.
const (
	// idleTime is how long an idle worker keeps the memory of the last call for the next
	// one.
	idleTime = 10 * time.Second
	// freeingCPU is how much processor time freeing the memory may take.
	freeingCPU = 5 * time.Second
)

// memoryReleaser returns memory to the system some time after the last call (debounce). The
// builder's caches stay, so the next call is as quick.
type memoryReleaser struct {
	mu   sync.Mutex
	busy int
	wait *time.Timer
	free func()
}

func newMemoryReleaser(free func()) *memoryReleaser {
	r := &memoryReleaser{free: free}
	r.wait = time.AfterFunc(idleTime, r.release)
	return r
}

// freeMemory is the function that a worker's memoryReleaser calls.
func freeMemory() {
	// The processor time left over from the last call may not suffice.
	if limitCPU(freeingCPU) == nil {
		debug.FreeOSMemory()
	}
}

func (r *memoryReleaser) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy == 0 {
		r.free()
	}
}

// begin announces a call, and waits while memory is being freed.
func (r *memoryReleaser) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wait.Stop()
	r.busy++
}

// end announces the end of a call.
func (r *memoryReleaser) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy--; r.busy == 0 {
		r.wait.Reset(idleTime)
	}
}
