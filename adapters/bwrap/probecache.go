package bwrap

import (
	"sync"
	"time"
)

// probeAgain is how long a failed probe of the machine is cached. The operator may have
// fixed the cause, or the machine was only too busy.
const probeAgain = time.Minute

// cachedProbe caches the result of look from its first use. A failure is cached for
// lookAgain. Concurrent callers wait for one call (single flight).
func cachedProbe[T any](look func() T, failure func(T) error) func() T {
	var mu sync.Mutex
	var found T
	var looked time.Time
	return func() T {
		mu.Lock()
		defer mu.Unlock()
		if looked.IsZero() || failure(found) != nil && time.Since(looked) >= probeAgain {
			found = look()
			looked = time.Now()
		}
		return found
	}
}
