package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How much garbage may gather between two collections: gcPercent of what is in use,
// because the service waits more than it computes and memory is dearer to it than the
// collector's time, and gcExtraBytes besides, because a small service would else spend
// half of its time on collecting next to nothing.
const (
	gcPercent    = 30
	gcExtraBytes = 19 << 20
	// gcRest is how long no collection is a rest. The runtime collects after two
	// minutes at the latest, so a service that nobody uses comes to rest as well.
	gcRest = time.Minute
	// startBytes is about what is in use before the first collection says so.
	startBytes = 8 << 20
)

// collector keeps the goal of the garbage collector. The runtime knows only a
// percentage of what is in use, without a least amount, so the percentage follows what
// each collection finds in use. At rest the memory above that goes back to the system:
// the runtime itself keeps a tenth more than its goal for ever.
type collector struct {
	// collected receives after collections: of several at once only once.
	collected <-chan struct{}
	// inUse is what the last collection found in use, in bytes; setPercent sets the
	// percentage; giveBack collects, and returns free memory to the system.
	inUse      func() uint64
	setPercent func(int)
	giveBack   func()
}

// tuneCollector keeps the garbage collector's goal until ctx ends, unless GOGC or
// GOMEMLIMIT sets one.
func tuneCollector(ctx context.Context) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	c := collector{collected: collections(), inUse: bytesInUse, giveBack: debug.FreeOSMemory}
	c.setPercent = func(percent int) { debug.SetGCPercent(percent) }
	c.setPercent(percentFor(startBytes))
	go c.run(ctx)
}

// run follows the collections until ctx ends.
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
		// Each setting stops the world.
		if percent := percentFor(c.inUse()); percent != set {
			c.setPercent(percent)
			set = percent
		}
	}
}

// percentFor is the percentage that lets gcPercent of what is in use gather, and
// gcExtraBytes.
func percentFor(inUse uint64) int {
	return gcPercent + int(100*gcExtraBytes/max(inUse, 1<<20))
}

// bytesInUse is what the runtime takes its percentage of: what the last collection left
// of the heap, and the roots that it looked through.
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
		// Nobody holds it, so the next collection finds it. It has a pointer because the
		// runtime may put several small objects without any into one.
		runtime.AddCleanup(new(*int), await, struct{}{})
	}
	runtime.AddCleanup(new(*int), await, struct{}{})
	return collected
}
