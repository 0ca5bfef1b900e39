package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How much garbage may accumulate between two collections. It is gcPercent of the memory
// in use, because the service mostly waits, and memory matters more than the collector's
// time. gcExtraBytes are added, because a small service would otherwise spend half of its
// time on collecting next to nothing.
const (
	gcPercent    = 30
	gcExtraBytes = 19 << 20
	// gcRest is how long without a collection counts as rest. The runtime collects at
	// least every two minutes, so an unused service comes to rest as well.
	gcRest = time.Minute
	// startBytes is about how much is in use before the first collection.
	startBytes = 8 << 20
)

// collector controls the goal of the garbage collector. The runtime knows only a
// percentage of the memory in use, without a minimum, so the collector adjusts the
// percentage after each collection. At rest it returns the memory above that to the
// system: the runtime itself keeps a tenth more than its goal forever.
type collector struct {
	// collected receives a value after collections, one value for several that follow
	// quickly.
	collected <-chan struct{}
	// inUse returns the bytes in use after the last collection; setPercent sets the
	// percentage; giveBack collects, and returns free memory to the system.
	inUse      func() uint64
	setPercent func(int)
	giveBack   func()
}

// tuneCollector controls the garbage collector's goal until ctx ends, unless GOGC or
// GOMEMLIMIT is set.
func tuneCollector(ctx context.Context) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	c := collector{collected: collections(), inUse: bytesInUse, giveBack: debug.FreeOSMemory}
	c.setPercent = func(percent int) { debug.SetGCPercent(percent) }
	c.setPercent(percentFor(startBytes))
	go c.run(ctx)
}

// run reacts to collections until ctx ends.
func (c collector) run(ctx context.Context) {
	rest := time.NewTimer(gcRest)
	defer rest.Stop()
	for set := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-rest.C:
			c.giveBack()
			// Its own collection is no sign of work.
			select {
			case <-c.collected:
			case <-ctx.Done():
				return
			}
		case <-c.collected:
			rest.Reset(gcRest)
		}
		// Each change of the setting stops the world.
		if percent := percentFor(c.inUse()); percent != set {
			c.setPercent(percent)
			set = percent
		}
	}
}

// percentFor returns the percentage that lets gcPercent of the memory in use, plus
// gcExtraBytes, accumulate.
func percentFor(inUse uint64) int {
	return gcPercent + int(100*gcExtraBytes/max(inUse, 1<<20))
}

// bytesInUse returns the base of the runtime's percentage: the heap after the last
// collection, and the roots that it scanned.
func bytesInUse() uint64 {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(samples)
	var sum uint64
	for _, sample := range samples {
		sum += sample.Value.Uint64()
	}
	return sum
}

// collections returns a channel that receives after collections, for as long as the
// process lives.
func collections() <-chan struct{} {
	collected := make(chan struct{}, 1)
	var await func(struct{})
	await = func(struct{}) {
		select {
		case collected <- struct{}{}:
		default:
		}
		// Nothing references it, so the next collection frees it. It contains a pointer
		// because the runtime may put several small objects without pointers into one.
		runtime.AddCleanup(new(*int), await, struct{}{})
	}
	runtime.AddCleanup(new(*int), await, struct{}{})
	return collected
}
