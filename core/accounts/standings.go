package accounts

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// standingTTL is how long a session counts as valid without another query. It is
	// well below the 5 seconds within which every process refuses the tokens of an
	// ended one.
	standingTTL = 3 * time.Second
	// maxStandings bounds the sessions that are remembered.
	maxStandings = 10_000
)

// standings is a cache of valid sessions with a short lifetime. Sessions that this
// process ends are dropped at once.
type standings struct {
	store storage.Store
	doors *instance.Doors

	mu    sync.Mutex
	known map[sessionKey]knownSession
	// required are the requirements of the installation, as of requiredAt.
	required   requirements
	requiredAt time.Time
}

// requirements are what people must have to do more than use their account: a second factor, and a
// proven address.
type requirements struct{ factor, email bool }

type sessionKey struct{ user, session core.ID }

// knownSession was valid with the credentials of version at a time.
type knownSession struct {
	version int
	at      time.Time
	lacks   requirements
}

func newStandings(store storage.Store, doors *instance.Doors) *standings {
	return &standings{store: store, doors: doors, known: map[sessionKey]knownSession{}}
}

// check returns core.CodeUnauthenticated for a session that has ended, and what its owner lacks. It
// asks the database if it has not for standingTTL, or if the cache would refuse.
func (s *standings) check(ctx context.Context, by core.Actor) (requirements, error) {
	key, now := sessionKey{by.UserID, by.SessionID}, time.Now()
	s.mu.Lock()
	known, found := s.known[key]
	s.mu.Unlock()
	if found && now.Sub(known.at) < standingTTL && known.version == by.CredentialVersion {
		return known.lacks, nil
	}
	if err := checkSession(ctx, s.store.Tables(), by); err != nil {
		return requirements{}, err
	}
	lacks, err := s.lacks(ctx, by.UserID, now)
	if err != nil {
		return requirements{}, err
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
	s.known[key] = knownSession{by.CredentialVersion, now, lacks}
	return lacks, nil
}

// requires returns what the installation requires of people. It asks the database once in
// standingTTL.
func (s *standings) requires(ctx context.Context, now time.Time) (requirements, error) {
	s.mu.Lock()
	required, fresh := s.required, now.Sub(s.requiredAt) < standingTTL
	s.mu.Unlock()
	if fresh {
		return required, nil
	}
	decided, err := s.store.Tables().InstanceSettings.Get(ctx)
	if err != nil {
		return requirements{}, err
	}
	required = requirements{factor: decided.RequireMFA, email: s.doors.RequiresProof(decided)}
	s.mu.Lock()
	s.required, s.requiredAt = required, now
	s.mu.Unlock()
	return required, nil
}

// lacks returns what the installation requires and a person does not have. It reads the person only
// if something is required.
func (s *standings) lacks(ctx context.Context, person core.ID, now time.Time) (lacks requirements, err error) {
	required, err := s.requires(ctx, now)
	if err != nil {
		return requirements{}, err
	}
	tables := s.store.Tables()
	if required.email {
		user, err := tables.Users.ByID(ctx, person)
		if err != nil {
			return requirements{}, withoutAccount(err)
		}
		lacks.email = !user.EmailVerified
	}
	if required.factor {
		factor, err := factorOf(ctx, tables, person)
		if err != nil {
			return requirements{}, err
		}
		lacks.factor = !factor.On()
	}
	return lacks, nil
}

// forget makes the next calls of these people ask the database.
func (s *standings) forget(users ...core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.known, func(key sessionKey, _ knownSession) bool { return slices.Contains(users, key.user) })
}
