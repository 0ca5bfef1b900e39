package bunstore

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
)

// lookupServer is a store on PostgreSQL whose sessions have a name of their own.
type lookupServer struct {
	*lockServer
	store *Store
}

func newLookupServer(t *testing.T) lookupServer {
	t.Helper()
	server := newLockServer(t)
	return lookupServer{server, migrated(t, server.address)}
}

// people makes users and returns them.
func (s lookupServer) people(count int) []core.User {
	s.t.Helper()
	users := make([]core.User, count)
	for i := range users {
		users[i] = core.User{ID: core.NewID(), Email: fmt.Sprintf("%d@example.com", i), CreatedAt: core.Time(i)}
		if err := s.store.Tables().Users.Create(s.t.Context(), users[i]); err != nil {
			s.t.Fatal(err)
		}
	}
	return users
}

// find asks for the user and says what is wrong with the answer.
func (s lookupServer) find(want core.User) error {
	got, err := s.store.Tables().Users.ByEmail(s.t.Context(), want.Email)
	if err != nil {
		return fmt.Errorf("%s: %w", want.Email, err)
	}
	if got != want {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

// load has callers ask again and again until stop.
func (s lookupServer) load(users []core.User, callers int) (answers *atomic.Int64, stop func()) {
	var all sync.WaitGroup
	var ended atomic.Bool
	answers = new(atomic.Int64)
	for caller := range callers {
		all.Go(func() {
			for i := caller; !ended.Load(); i++ {
				if err := s.find(users[i%len(users)]); err != nil {
					s.t.Error(err)
					return
				}
				answers.Add(1)
			}
		})
	}
	return answers, func() {
		ended.Store(true)
		all.Wait()
	}
}

func TestLookupsAtOnceGetEachItsOwnAnswer(t *testing.T) {
	s := newLookupServer(t)
	users := s.people(50)
	var all sync.WaitGroup
	for caller := range 40 {
		all.Go(func() {
			for i := range 50 {
				if err := s.find(users[(caller*7+i)%len(users)]); err != nil {
					t.Error(err)
				}
				_, err := s.store.Tables().Users.ByID(t.Context(), core.NewID())
				if !core.IsCode(err, core.CodeNotFound) {
					t.Errorf("got %v, want code %s", err, core.CodeNotFound)
				}
				if got, err := s.store.Tables().Workspaces.OfUser(t.Context(), users[i].ID); err != nil || len(got) != 0 {
					t.Errorf("got %v, %v, want none", got, err)
				}
			}
		})
	}
	all.Wait()
}

func asleep(db bun.IDB, value func(int) any) *bun.SelectQuery {
	return db.NewSelect().ColumnExpr("pg_sleep(?::float)::text AS slept", value(0))
}

func (s lookupServer) sleeping() int {
	return s.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND application_name = ?")
}

// TestOneWhoLeavesDisturbsNobody has more callers leave than the pool has connections.
func TestOneWhoLeavesDisturbsNobody(t *testing.T) {
	s := newLookupServer(t)
	users := s.people(3)
	leaving, leave := context.WithCancel(t.Context())
	defer leave()
	var all sync.WaitGroup
	for range maxPostgresConns + 1 {
		all.Go(func() {
			var slept string
			err := s.store.look(leaving, "record", lookup{"asleep", asleep}, &slept, "600")
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want %v", err, context.Canceled)
			}
		})
	}
	s.until("the connections are held up", func() bool { return s.sleeping() == maxPostgresConns })
	leave()
	all.Wait()
	for _, user := range users {
		if err := s.find(user); err != nil {
			t.Error(err)
		}
	}
	s.until("the server does no more of it", func() bool { return s.sleeping() == 0 })
}

func TestLookupsGoOnWhenTheSchemaChanges(t *testing.T) {
	s := newLookupServer(t)
	users := s.people(10)
	answers, stop := s.load(users, 8)
	defer stop()
	for length := range 5 {
		before := answers.Load()
		s.until("all have asked", func() bool { return t.Failed() || answers.Load() > before+100 })
		_, err := s.admin.writer.ExecContext(t.Context(), "ALTER TABLE users ALTER COLUMN email TYPE varchar(?)", 100+length)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestACloseEndsIdleConnections(t *testing.T) {
	s := newLookupServer(t)
	user, before := s.people(1)[0], s.sessions()
	// The garbage collector would close connections that are left behind.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	store, err := Open(t.Context(), s.address)
	if err != nil {
		t.Fatal(err)
	}
	s.store = store
	if err := errors.Join(s.find(user), store.Close()); err != nil {
		t.Error(err)
	}
	s.until("the server has seen them go", func() bool { return s.sessions() == before })
	if err := s.find(user); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("afterwards: got %v, want code %s", err, core.CodeUnavailable)
	}
}
