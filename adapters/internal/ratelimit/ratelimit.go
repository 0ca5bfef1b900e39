// Package ratelimit limits the calls of many callers: it holds a token bucket for each key, and
// forgets those that are full again. For one bucket that lives as long as its owner, see
// adapters/internal/tokenbucket.
package ratelimit

import (
	"net/netip"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// maxBuckets bounds the memory of a limiter, which holds at most twice as many.
const maxBuckets = 50_000

// Limiter is a rate limiter with a token bucket for every key. A bucket holds perMinute
// tokens and refills within a minute. A bucket that was not used for a minute is full, so
// the limiter forgets it by dropping the older of two generations.
type Limiter struct {
	perMinute float64
	now       func() time.Time

	mu       sync.Mutex
	young    map[string]bucket
	old      map[string]bucket
	youngest time.Time
}

type bucket struct {
	tokens float64
	at     time.Time
}

// New returns a limiter. With perMinute 0 it limits nothing.
func New(perMinute int, now func() time.Time) *Limiter {
	return &Limiter{perMinute: float64(perMinute), now: now, young: map[string]bucket{}, youngest: now()}
}

// Take takes a token from key's bucket. If the bucket is empty, the error has code
// core.CodeRateLimited, with the time until the next token.
func (l *Limiter) Take(key string) error {
	if l.perMinute == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.rotate(now)
	b := l.find(key, now)
	perSecond := l.perMinute / 60
	b.tokens = min(l.perMinute, b.tokens+max(0, now.Sub(b.at).Seconds())*perSecond)
	b.at = now
	short := 1 - b.tokens
	if short <= 0 {
		b.tokens--
	}
	l.young[key] = b
	if short <= 0 {
		return nil
	}
	limited := core.Errorf(core.CodeRateLimited, "too many requests")
	limited.RetryAfter = time.Duration(short / perSecond * float64(time.Second))
	return limited
}

func (l *Limiter) find(key string, now time.Time) bucket {
	if b, known := l.young[key]; known {
		return b
	}
	if b, known := l.old[key]; known {
		return b
	}
	return bucket{l.perMinute, now}
}

// rotate starts a new generation every minute, or when this one is full. In the latter
// case some callers get a full bucket early, which is better than running out of memory.
func (l *Limiter) rotate(now time.Time) {
	if now.Sub(l.youngest) < time.Minute && len(l.young) < maxBuckets {
		return
	}
	l.old, l.young, l.youngest = l.young, map[string]bucket{}, now
}

// AddressKey returns the key of an address. One client usually has a whole /64 of IPv6.
func AddressKey(addr netip.Addr) string {
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.String()
		}
	}
	return addr.String()
}
