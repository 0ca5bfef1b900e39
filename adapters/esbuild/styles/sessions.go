package styles

import (
	"slices"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

// sessionPool keeps the most recently used sessions (LRU). From take to give, a session
// belongs to one caller alone.
type sessionPool struct {
	mu   sync.Mutex
	idle []idleSession // the most recently used last
}

type idleSession struct {
	plan    int64
	session *tailwind.Session
}

const (
	// maxSessions bounds the idle machines, which take about 5 MB each and never more
	// than tailwind.MaxIdleMemory.
	maxSessions = 8
	// maxGiven bounds the words that a session remembers.
	maxGiven = 20_000
)

// take returns a session of a plan whose output for the candidates would equal that of a
// new session, or nil.
func (s *sessionPool) take(plan int64, candidates []string) *tailwind.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.idle) - 1; i >= 0; i-- {
		if s.idle[i].plan == plan && s.idle[i].session.Covers(candidates) {
			found := s.idle[i].session
			s.idle = slices.Delete(s.idle, i, i+1)
			return found
		}
	}
	return nil
}

// give returns a session to the pool. It may be nil. A session that takes too much memory
// is closed.
func (s *sessionPool) give(plan int64, session *tailwind.Session) {
	if session == nil {
		return
	}
	if session.Given() > maxGiven || !session.Rest() {
		session.Close()
		return
	}
	s.mu.Lock()
	s.idle = append(s.idle, idleSession{plan, session})
	var oldest *tailwind.Session
	if len(s.idle) > maxSessions {
		oldest = s.idle[0].session
		s.idle = slices.Delete(s.idle, 0, 1)
	}
	s.mu.Unlock()
	if oldest != nil {
		oldest.Close()
	}
}
