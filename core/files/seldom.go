package files

import (
	"sync"
	"time"
)

// sayEvery is how often the log is told of what goes wrong at every call while some other
// service is away.
const sayEvery = 10 * time.Second

// seldom says when something may be said again.
type seldom struct {
	mu    sync.Mutex
	until time.Time
}

// isDue reports whether nothing has been said for sayEvery, and takes it for said.
func (s *seldom) isDue(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Before(s.until) {
		return false
	}
	s.until = now.Add(sayEvery)
	return true
}
