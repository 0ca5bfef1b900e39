package nats

import (
	"log/slog"
	"sync"
	"time"
)

// quiet is how long further unknown messages are only counted.
const quiet = time.Minute

// skipLog logs messages that this process does not understand, with a limited rate. During
// an update newer processes may send many of them.
type skipLog struct {
	log    *slog.Logger
	mu     sync.Mutex
	logged time.Time
	count  int
}

func (s *skipLog) add(why error, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if now.Sub(s.logged) < quiet {
		return
	}
	s.log.Warn("skipped unknown notices of other processes", "count", s.count, "error", why)
	s.logged, s.count = now, 0
}
