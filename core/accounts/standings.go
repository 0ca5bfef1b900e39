package accounts

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// standingTTL is how long a session is believed to stand without another look, so
	// that calls need none. It is well below the 5 seconds in which every process
	// refuses the tokens of an ended one (contract, section 1.3).
	standingTTL = 3 * time.Second
	// maxStandings bounds the sessions that are remembered.
	maxStandings = 10_000
)

// standings remembers for a moment which sessions stand. What this process ends
// itself it forgets at once.
type standings struct {
	store storage.Store

	mu    sync.Mutex
	known map[sessionKey]knownSession
}

type sessionKey struct{ user, session core.ID }

// knownSession stood with the credentials of version at a time.
type knownSession struct {
	version int
	at      time.Time
}

func newStandings(store storage.Store) *standings {
	return &standings{store: store, known: map[sessionKey]knownSession{}}
}

// check refuses a session that has ended: core.CodeUnauthenticated. It looks into the
// database when it has not for standingTTL, or when what it knows says no.
func (s *standings) check(ctx context.Context, by core.Actor) error {
	key, now := sessionKey{by.UserID, by.SessionID}, time.Now()
	s.mu.Lock()
	known, found := s.known[key]
	s.mu.Unlock()
	if found && now.Sub(known.at) < standingTTL && known.version == by.CredentialVersion {
		return nil
	}
	if err := checkSession(ctx, s.store.Tables(), by); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= maxStandings {
		maps.DeleteFunc(s.known, func(_ sessionKey, known knownSession) bool { return now.Sub(known.at) >= standingTTL })
	}
	if len(s.known) >= maxStandings {
		clear(s.known)
	}
	// The look began at now, so that is how old the answer is.
	s.known[key] = knownSession{by.CredentialVersion, now}
	return nil
}

// forget has the next calls of these people look again.
func (s *standings) forget(users ...core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.known, func(key sessionKey, _ knownSession) bool { return slices.Contains(users, key.user) })
}
