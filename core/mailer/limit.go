package mailer

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// limit is a rate limit of mails per recipient within a window. Many goroutines may
// use it.
type limit struct {
	most   int
	window time.Duration
	now    func() time.Time

	mu sync.Mutex
	// taken has the mails of each person or address, with the time of their first
	// attempt.
	taken map[string]map[core.ID]core.Time
}

func newLimit(most int, window time.Duration, now func() time.Time) *limit {
	return &limit{most: most, window: window, now: now, taken: map[string]map[core.ID]core.Time{}}
}

// take reports whether a person may get a mail. A mail that is retried counts once.
func (l *limit) take(person string, mail core.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(person)
	mails := l.taken[person]
	if _, known := mails[mail]; known {
		return true
	}
	if len(mails) >= l.most {
		return false
	}
	if mails == nil {
		mails = map[core.ID]core.Time{}
		l.taken[person] = mails
	}
	mails[mail] = core.At(l.now())
	return true
}

// prune forgets everybody whose window has passed.
func (l *limit) prune() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for person := range l.taken {
		l.forget(person)
	}
}

func (l *limit) forget(person string) {
	before := core.At(l.now()).Add(-l.window)
	for mail, at := range l.taken[person] {
		if at <= before {
			delete(l.taken[person], mail)
		}
	}
	if len(l.taken[person]) == 0 {
		delete(l.taken, person)
	}
}
