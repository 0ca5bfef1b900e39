package files

import (
	"sync"
	"time"
)

// sayEvery is how often a failure is logged that occurs at every call while another
// service is down.
const sayEvery = 10 * time.Second

// seldom is a rate limit for a log line that would repeat at every call.
type seldom struct {
	mu    sync.Mutex
	until time.Time
}

// isDue reports whether the line was not logged for sayEvery; if so, it counts as
// logged now.
func (s *seldom) isDue(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Before(s.until) {
		return false
	}
	s.until = now.Add(sayEvery)
	return true
}
