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
	// standingTTL is how long a session counts as valid without another query. It is
	// well below the 5 seconds within which every process refuses the tokens of an
	// ended one (contract, section 1.3).
	standingTTL = 3 * time.Second
	// maxStandings bounds the sessions that are remembered.
	maxStandings = 10_000
)

// standings is a cache of valid sessions with a short lifetime. Sessions that this
// process ends are dropped at once.
type standings struct {
	store storage.Store

	mu    sync.Mutex
	known map[sessionKey]knownSession
}

type sessionKey struct{ user, session core.ID }

// knownSession was valid with the credentials of version at a time.
type knownSession struct {
	version int
	at      time.Time
}

func newStandings(store storage.Store) *standings {
	return &standings{store: store, known: map[sessionKey]knownSession{}}
}

// check returns core.CodeUnauthenticated for a session that has ended. It asks the
// database if it has not for standingTTL, or if the cache would refuse.
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
	// The query began at now, so that is the age of the answer.
	s.known[key] = knownSession{by.CredentialVersion, now}
	return nil
}

// forget makes the next calls of these people ask the database.
func (s *standings) forget(users ...core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.known, func(key sessionKey, _ knownSession) bool { return slices.Contains(users, key.user) })
}
