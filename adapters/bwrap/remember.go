package bwrap

import (
	"sync"
	"time"
)

// lookAgain is how long a failure to find what the machine has is believed: the
// operator may have mended it, or it was only that the machine had too much to do.
const lookAgain = time.Minute

// remembered returns what looks at its first use, and later only when that failed,
// lookAgain ago. Those who ask meanwhile wait.
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
