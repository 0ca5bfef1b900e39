package functions

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Rate limits of the prompts that one process sends for the functions of an environment, beside the
// workspace's credit: a public function spends its project's money for strangers. Each is a token
// bucket, which holds an hour's prompts and fills in an hour.
const (
	// GuestPrompts bounds those for visitors who have not signed in, MaxPromptsAnHour all of them.
	GuestPrompts     = 60
	MaxPromptsAnHour = 600
)

// maxPrompters is the number of buckets from which on the full ones are forgotten.
const maxPrompters = 10_000

// prompter is whose prompts a bucket is for: an environment's guests, or all of it.
type prompter struct {
	place  backend.Place
	guests bool
}

// promptLimit has a token bucket of prompts for each prompter.
type promptLimit struct {
	now func() time.Time

	mu sync.Mutex
	// full is when a bucket will be full again; one that is missing is full.
	full map[prompter]time.Time
}

func newPromptLimit(now func() time.Time) *promptLimit {
	return &promptLimit{now: now, full: make(map[prompter]time.Time)}
}

// take counts a prompt, for a guest or not. After too many it counts nothing, and returns
// core.CodeRateLimited with the time until the next.
func (l *promptLimit) take(place backend.Place, guest bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if len(l.full) >= maxPrompters {
		for who, at := range l.full {
			if at.Before(now) {
				delete(l.full, who)
			}
		}
	}
	all, guests := prompter{place, false}, prompter{place, true}
	if wait := l.wait(all, MaxPromptsAnHour, now); wait > 0 {
		return tooManyPrompts(wait, "the functions of this application ask the AI model at most %d times an hour: try again later", MaxPromptsAnHour)
	}
	if guest {
		if wait := l.wait(guests, GuestPrompts, now); wait > 0 {
			return tooManyPrompts(wait, "the functions of this application ask the AI model at most %d times an hour for visitors who have not signed in: sign in, or try again later", GuestPrompts)
		}
		l.count(guests, GuestPrompts, now)
	}
	l.count(all, MaxPromptsAnHour, now)
	return nil
}

// wait returns how long it takes until a bucket has a token, 0 if it has one.
func (l *promptLimit) wait(who prompter, most int, now time.Time) time.Duration {
	missing := max(0, l.full[who].Sub(now))
	return max(0, missing+time.Hour/time.Duration(most)-time.Hour)
}

// count takes a token from a bucket.
func (l *promptLimit) count(who prompter, most int, now time.Time) {
	at := l.full[who]
	if at.Before(now) {
		at = now
	}
	l.full[who] = at.Add(time.Hour / time.Duration(most))
}

func tooManyPrompts(wait time.Duration, format string, most int) error {
	limited := core.Errorf(core.CodeRateLimited, format, most)
	limited.RetryAfter = wait
	return limited
}
