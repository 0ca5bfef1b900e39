package people

import (
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func sessionClauses() []clause {
	return []clause{
		{"a session comes back as it was stored", sessionComesBack},
		{"a session that is not there is not found", sessionNotFound},
		{"a session belongs to a user", sessionOfNothing},
		{"a changed session keeps its id, its user and its age", sessionUpdate},
		{"a user's sessions are listed, the latest first", sessionsList},
		{"a session is touched forwards only", sessionTouch},
		{"how a session stands is told with the user's credentials", sessionStanding},
		{"of parallel renewals with one token one brings the next", sessionInParallel},
		{"where sessions were opened from is known while they are kept", sessionNetworks},
		{"deleting a user's sessions leaves those of others", sessionsDelete},
		{"pruning removes the sessions that have expired", sessionsPrune},
		{"sessions go in and come out as copies", sessionCopies},
	}
}

func (s testCase) newSession(user core.ID) core.Session {
	at := s.Now()
	return core.Session{ID: core.NewID(), UserID: user, TokenID: core.NewID(), CreatedAt: at, ExpiresAt: at + 1000}
}

func (s testCase) signedIn(user core.ID) core.Session {
	s.Helper()
	session := s.newSession(user)
	s.Must(s.Sessions.Create(s.Context(), session))
	return session
}

func sessionComesBack(s testCase) {
	user := s.User()
	full, bare := s.newSession(user.ID), s.newSession(user.ID)
	full.Spent, full.SignedUp = []core.SpentToken{{ID: core.NewID(), At: s.Now()}, {ID: core.NewID(), At: s.Now()}}, true
	full.EndedAt, full.LastSeenAt, full.SecondFactor = new(s.Now()), s.Now(), true
	full.Network, full.Address, full.Device = "2001:db8::/64", "2001:db8::7", "Firefox on Windows"
	for _, session := range []core.Session{full, bare} {
		s.Must(s.Sessions.Create(s.Context(), session))
		got, err := s.Sessions.ByID(s.Context(), session.ID)
		s.Want(got, err, session)
	}
	s.WantCode(s.Sessions.Create(s.Context(), bare), core.CodeConflict)
}

func sessionNotFound(s testCase) {
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0]), core.ID(fixture.Unstorable()[1])} {
		_, err := s.Sessions.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Sessions.Update(s.Context(), id, func(*core.Session) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.Must(s.Sessions.DeleteOf(s.Context(), id))
	}
}

func sessionOfNothing(s testCase) {
	s.WantCode(s.Sessions.Create(s.Context(), s.newSession(core.NewID())), core.CodeNotFound)
	s.WantCode(s.Sessions.Create(s.Context(), s.newSession(core.ID(fixture.Unstorable()[0]))), core.CodeValidationFailed)
}

func sessionUpdate(s testCase) {
	session := s.signedIn(s.User().ID)
	want := session
	want.TokenID, want.ExpiresAt, want.EndedAt = core.NewID(), session.ExpiresAt+5, new(s.Now())
	want.Spent = []core.SpentToken{{ID: session.TokenID, At: s.Now()}}
	want.Address, want.LastSeenAt = "192.0.2.9", s.Now()
	got, err := s.Sessions.Update(s.Context(), session.ID, func(stored *core.Session) error {
		*stored = want
		stored.ID, stored.UserID, stored.CreatedAt = core.NewID(), core.NewID(), 1
		return nil
	})
	s.Want(got, err, want)
	_, err = s.Sessions.Update(s.Context(), session.ID, func(stored *core.Session) error {
		stored.EndedAt = nil
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
	got, err = s.Sessions.ByID(s.Context(), session.ID)
	s.Want(got, err, want)
}

func sessionsList(s testCase) {
	user, other := s.User(), s.User()
	early, ended := s.newSession(user.ID), s.newSession(user.ID)
	early.CreatedAt, ended.EndedAt = early.CreatedAt-5, new(s.Now())
	s.Must(s.Sessions.Create(s.Context(), early))
	s.Must(s.Sessions.Create(s.Context(), ended))
	s.signedIn(other.ID)
	got, err := s.Sessions.List(s.Context(), user.ID)
	s.Want(got, err, []core.Session{ended, early})
	for _, id := range []core.ID{"", core.NewID(), core.ID(fixture.Unstorable()[0])} {
		none, err := s.Sessions.List(s.Context(), id)
		s.Want(len(none), err, 0)
	}
}

func sessionTouch(s testCase) {
	session := s.signedIn(s.User().ID)
	for _, at := range []core.Time{5000, 9000, 7000} {
		s.Must(s.Sessions.Touch(s.Context(), session.ID, at))
	}
	session.LastSeenAt = 9000
	got, err := s.Sessions.ByID(s.Context(), session.ID)
	s.Want(got, err, session)
	s.WantCode(s.Sessions.Touch(s.Context(), core.NewID(), 1), core.CodeNotFound)
}

func sessionStanding(s testCase) {
	user, other := s.User(), s.User()
	session := s.signedIn(user.ID)
	_, err := s.Users.Update(s.Context(), user.ID, func(user *core.User) error {
		user.CredentialVersion = 3
		return nil
	})
	s.Must(err)
	wanted := func(user, session core.ID, want core.SessionStatus) {
		s.Helper()
		got, err := s.Sessions.Standing(s.Context(), user, session)
		s.Want(got, err, want)
	}
	wanted(user.ID, session.ID, core.SessionStatus{CredentialVersion: 3, Open: true})
	wanted(other.ID, session.ID, core.SessionStatus{})
	for _, id := range []core.ID{"", core.NewID(), core.ID(fixture.Unstorable()[0])} {
		wanted(user.ID, id, core.SessionStatus{CredentialVersion: 3})
		_, err := s.Sessions.Standing(s.Context(), id, session.ID)
		s.WantCode(err, core.CodeNotFound)
	}
	_, err = s.Sessions.Update(s.Context(), session.ID, func(session *core.Session) error {
		session.EndedAt = new(session.CreatedAt)
		return nil
	})
	s.Must(err)
	wanted(user.ID, session.ID, core.SessionStatus{CredentialVersion: 3})
}

func sessionInParallel(s testCase) {
	session := s.signedIn(s.User().ID)
	var renewed atomic.Int32
	fixture.Together(16, func(int) {
		_, err := s.Sessions.Update(s.Context(), session.ID, func(stored *core.Session) error {
			if stored.TokenID != session.TokenID {
				return fixture.ErrStop
			}
			stored.TokenID = core.NewID()
			return nil
		})
		if err == nil {
			renewed.Add(1)
		} else {
			s.Want(err, nil, fixture.ErrStop)
		}
	})
	s.Want(renewed.Load(), nil, int32(1))
}

func sessionNetworks(s testCase) {
	user, other := s.User(), s.User()
	session := s.newSession(user.ID)
	session.Network, session.Device, session.EndedAt = "192.0.2.7", "curl", new(s.Now())
	s.Must(s.Sessions.Create(s.Context(), session))
	for _, c := range []struct {
		user    core.ID
		network string
		device  string
		want    bool
	}{
		{user.ID, "192.0.2.7", "", true}, {user.ID, "192.0.2.7", "curl", true}, {user.ID, "192.0.2.7", "wget", false},
		{user.ID, "192.0.2.8", "", false}, {user.ID, "192.0.2.8", "curl", false}, {other.ID, "192.0.2.7", "", false},
		{"", "192.0.2.7", "", false}, {user.ID, fixture.Unstorable()[0], "", false}, {user.ID, "192.0.2.7", fixture.Unstorable()[0], false},
	} {
		got, err := s.Sessions.Known(s.Context(), c.user, c.network, c.device)
		s.Want(got, err, c.want)
	}
	s.Must(s.Sessions.DeleteOf(s.Context(), user.ID))
	got, err := s.Sessions.Known(s.Context(), user.ID, "192.0.2.7", "")
	s.Want(got, err, false)
}

func sessionsDelete(s testCase) {
	user, other := s.User(), s.User()
	gone, stays := s.signedIn(user.ID), s.signedIn(other.ID)
	s.signedIn(user.ID)
	s.Must(s.Sessions.DeleteOf(s.Context(), user.ID))
	_, err := s.Sessions.ByID(s.Context(), gone.ID)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.Sessions.ByID(s.Context(), stays.ID)
	s.Want(got, err, stays)
}

func sessionsPrune(s testCase) {
	user := s.User()
	old, young := s.signedIn(user.ID), s.signedIn(user.ID)
	s.Must(s.Sessions.Prune(s.Context(), young.ExpiresAt))
	_, err := s.Sessions.ByID(s.Context(), old.ID)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.Sessions.ByID(s.Context(), young.ID)
	s.Want(got, err, young)
}

func sessionCopies(s testCase) {
	session := s.newSession(s.User().ID)
	session.Spent, session.EndedAt = []core.SpentToken{{ID: core.NewID(), At: 1}}, new(s.Now())
	want := session
	want.Spent, want.EndedAt = []core.SpentToken{session.Spent[0]}, new(*session.EndedAt)
	s.Must(s.Sessions.Create(s.Context(), session))
	session.Spent[0].At, *session.EndedAt = 7, 7
	got, err := s.Sessions.ByID(s.Context(), session.ID)
	s.Want(got, err, want)
	got.Spent[0].At, *got.EndedAt = 7, 7
	got, err = s.Sessions.ByID(s.Context(), session.ID)
	s.Want(got, err, want)
}
