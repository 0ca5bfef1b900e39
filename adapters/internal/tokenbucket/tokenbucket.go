// Package tokenbucket limits requests by a single token bucket, for example those to the data of
// one project. adapters/internal/ratelimit holds one for each of many callers.
package tokenbucket

import (
	"sync"
	"time"
)

// Bucket is a token bucket that fills at so many tokens a second, and holds as many. Many
// goroutines may use it.
type Bucket struct {
	perSecond float64

	mu     sync.Mutex
	tokens float64
	last   time.Time
}

// New returns a full bucket. perSecond is at least 1.
func New(perSecond int) *Bucket {
	return &Bucket{perSecond: float64(perSecond), tokens: float64(perSecond)}
}

// Take takes a token and returns 0, or takes none and returns how long to wait for one.
func (b *Bucket) Take(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if passed := now.Sub(b.last); passed > 0 {
		b.tokens = min(b.perSecond, b.tokens+passed.Seconds()*b.perSecond)
		b.last = now
	}
	if b.tokens < 1 {
		return time.Duration((1 - b.tokens) / b.perSecond * float64(time.Second))
	}
	b.tokens--
	return 0
}
