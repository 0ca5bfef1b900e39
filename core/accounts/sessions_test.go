package accounts_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/ports/storage"
)

// otherProcess is the same accounts in another process.
func (w *world) otherProcess(store storage.Store) *accounts.Service {
	return accounts.New(accounts.Deps{
		Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(store),
		Store: store, Tokens: w.tokens, Passwords: w.hasher, Audit: w.audit, Mails: w.mails, Estate: w.estate(), Now: func() time.Time { return w.now },
		Settings: accounts.Settings{AccessTTL: 15 * time.Minute, RefreshTTL: time.Hour},
	})
}

// TestAnEndedSessionIsRefusedWithinFiveSeconds ends sessions in one process just
// after another has checked them.
func TestAnEndedSessionIsRefusedWithinFiveSeconds(t *testing.T) {
	for what, end := range map[string]func(w *world, session accounts.Session) error{
		"signing out": func(w *world, session accounts.Session) error {
			return w.SignOut(w.t.Context(), from, session.AccessToken, "")
		},
		"signing out everywhere": func(w *world, session accounts.Session) error {
			return w.SignOutEverywhere(w.t.Context(), core.Actor{UserID: session.User.ID})
		},
		"another password": func(w *world, session accounts.Session) error {
			_, err := w.Update(w.t.Context(), core.Actor{UserID: session.User.ID}, accounts.Change{
				Password: &accounts.PasswordChange{Current: password, New: "new password"},
			})
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				session, _ := w.signUp("ada@example.com")
				other := w.otherProcess(w.store)
				_, err := other.Authenticate(t.Context(), session.AccessToken)
				wantCode(t, "before", err, "")
				wantCode(t, "the end", end(w, session), "")
				_, err = w.Authenticate(t.Context(), session.AccessToken)
				wantCode(t, "here, at once", err, core.CodeUnauthenticated)
				time.Sleep(5 * time.Second)
				_, err = other.Authenticate(t.Context(), session.AccessToken)
				wantCode(t, "elsewhere, 5 s later", err, core.CodeUnauthenticated)
			})
		})
	}
}

// standingStore counts the queries for sessions.
type standingStore struct {
	storage.Store
	looks int
}

func (s *standingStore) Tables() storage.Tables {
	tables := s.Store.Tables()
	tables.Sessions = &standingSessions{tables.Sessions, s}
	return tables
}

type standingSessions struct {
	storage.Sessions
	store *standingStore
}

func (s *standingSessions) Standing(ctx context.Context, user, session core.ID) (core.SessionStatus, error) {
	s.store.looks++
	return s.Sessions.Standing(ctx, user, session)
}

func TestCallsOfASessionSeldomAskTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		session, _ := w.signUp("ada@example.com")
		counted := &standingStore{Store: w.store}
		service := w.otherProcess(counted)
		for range 100 {
			_, err := service.Authenticate(t.Context(), session.AccessToken)
			wantCode(t, "a call", err, "")
			time.Sleep(50 * time.Millisecond)
		}
		if counted.looks > 2 {
			t.Errorf("got %d looks for 100 calls in 5 s, want 2", counted.looks)
		}
	})
}

// TestTheAnswerToARefreshMayGetLost repeats it within the grace, and after it. Every repetition is in
// the person's log, because nobody can tell a second tab from a copy.
func TestTheAnswerToARefreshMayGetLost(t *testing.T) {
	w := newWorld(t)
	session, home := w.signUp("ada@example.com")
	noted := func(when string, want int) {
		t.Helper()
		entries, err := w.store.Tables().Audit.OfPerson(t.Context(), home.User.ID, core.Page{Limit: 9})
		entries = slices.DeleteFunc(entries, func(entry core.AuditEntry) bool {
			return entry.Action != core.AuditTokenRepeated || entry.IP != from.IP || entry.Target != home.User.Email
		})
		if err != nil || len(entries) != want {
			t.Errorf("%s: got %+v, %v, want %d repetitions in the log", when, entries, err, want)
		}
	}
	first, err := w.Refresh(t.Context(), from, session.RefreshToken)
	wantCode(t, "the first time", err, "")
	_, err = w.Refresh(t.Context(), from, first.RefreshToken)
	wantCode(t, "the next token", err, "")
	noted("each token once", 0)
	w.now = w.now.Add(30 * time.Second)
	second, err := w.Refresh(t.Context(), from, session.RefreshToken)
	wantCode(t, "30 s later", err, "")
	noted("30 s later", 1)
	w.now = w.now.Add(time.Second)
	_, err = w.Refresh(t.Context(), from, session.RefreshToken)
	wantCode(t, "31 s later", err, core.CodeUnauthenticated)
	for what, token := range map[string]string{"first": first.RefreshToken, "second": second.RefreshToken} {
		_, err = w.Refresh(t.Context(), from, token)
		wantCode(t, what, err, core.CodeUnauthenticated)
	}
	_, err = w.Authenticate(t.Context(), second.AccessToken)
	wantCode(t, "the access token", err, core.CodeUnauthenticated)
}

func TestOnlyTheSessionOfTheSignUpSaysSo(t *testing.T) {
	w := newWorld(t)
	made, _ := w.signUp("ada@example.com")
	later, err := w.SignIn(t.Context(), from, "ada@example.com", password)
	wantCode(t, "sign in", err, "")
	for _, c := range []struct {
		session accounts.Session
		want    bool
	}{{made, true}, {later, false}} {
		actor, err := w.Authenticate(t.Context(), c.session.AccessToken)
		wantCode(t, "the session", err, "")
		record, err := w.store.Tables().Sessions.ByID(t.Context(), actor.SessionID)
		if err != nil || record.SignedUp != c.want {
			t.Errorf("got %+v, %v, want SignedUp %v", record, err, c.want)
		}
	}
}
