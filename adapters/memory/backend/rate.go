package backend

import (
	"sync"
	"time"
)

// rate is a token bucket: so many requests a second, and as many at once.
type rate struct {
	perSecond float64

	mu     sync.Mutex
	tokens float64
	last   time.Time
}

// newRate returns a full bucket.
func newRate(perSecond int) *rate {
	return &rate{perSecond: float64(perSecond), tokens: float64(perSecond)}
}

// take takes a token, or returns how long to wait for one.
func (r *rate) take(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if passed := now.Sub(r.last); passed > 0 {
		r.tokens = min(r.perSecond, r.tokens+passed.Seconds()*r.perSecond)
		r.last = now
	}
	if r.tokens < 1 {
		return time.Duration((1 - r.tokens) / r.perSecond * float64(time.Second))
	}
	r.tokens--
	return 0
}
