package bwrap

import (
	"sync"
	"time"
)

// lookAgain is how long a failed probe of the machine is cached. The operator may have
// fixed the cause, or the machine was only too busy.
const lookAgain = time.Minute

// remembered caches the result of look from its first use. A failure is cached for
// lookAgain. Concurrent callers wait for one call (single flight).
func remembered[T any](look func() T, failure func(T) error) func() T {
	var mu sync.Mutex
	var found T
	var looked time.Time
	return func() T {
		mu.Lock()
		defer mu.Unlock()
		if looked.IsZero() || failure(found) != nil && time.Since(looked) >= lookAgain {
			found = look()
			looked = time.Now()
		}
		return found
	}
}
