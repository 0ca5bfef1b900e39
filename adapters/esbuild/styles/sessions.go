package styles

import (
	"slices"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

// sessionPool keeps the sessions that were used last. Each is somebody's alone
// from take to give.
type sessionPool struct {
	mu   sync.Mutex
	idle []idleSession // the last used at the end
}

type idleSession struct {
	plan    int64
	session *tailwind.Session
}

const (
	// maxSessions bounds the machines that wait, which weigh about 5 MB each and
	// never more than tailwind.MaxIdleMemory.
	maxSessions = 8
	// maxGiven bounds the words that a session remembers.
	maxGiven = 20_000
)

// take returns a session of a plan that gives for the candidates what a new one
// would give, or nil.
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

// give takes a session back, which may be nil. One that is too heavy to wait is
// closed.
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
