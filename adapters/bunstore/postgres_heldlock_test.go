package bunstore

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
)

// hasty are limits by which a holder soon counts as suspended. On a busy machine that may be
// wrong.
var hasty = lockLimits{turn: 20 * time.Millisecond, answer: 10 * time.Second, beat: 20 * time.Millisecond, silence: 400 * time.Millisecond}

// stillServer is a server with a closable connection for one process, which makes the
// process look suspended.
func stillServer(t *testing.T, limits lockLimits) (server *lockServer, still *Locks, way *pausableProxy) {
	t.Helper()
	server, way = newLockServer(t), &pausableProxy{}
	direct := server.address
	server.address = way.put(t, direct)
	still = server.locker(limits)
	server.address = direct
	return server, still, way
}

func TestAHolderThatStandsStillLosesItsLock(t *testing.T) {
	server, still, way := stillServer(t, hasty)
	record, other := core.NewID(), server.locker(hasty)
	held, unlock := server.heldAtLast(still, record)
	way.gate.Lock()
	unlockNext := server.lockAtLast(other, record)
	lost := locks.Check(held)
	way.gate.Unlock()
	if !core.IsCode(lost, core.CodeUnavailable) {
		t.Errorf("got %v from the lock that another has, want code %s", lost, core.CodeUnavailable)
	}
	unlock()
	if err := locks.Check(held); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v from the lock that was lost, want code %s for ever", err, core.CodeUnavailable)
	}
	unlockNext()
	server.lockAtLast(still, record)()
	if log := server.log.String(); strings.Count(log, string(record)) < 2 || strings.Contains(log, "level=ERROR") {
		t.Errorf("got the log %q, want both to say so", log)
	}
}

func TestALockThatCameToAProcessThatStoodStillIsNotItsOwn(t *testing.T) {
	patient := hasty
	patient.turn = time.Minute
	server, still, way := stillServer(t, patient)
	record, other := core.NewID(), server.locker(hasty)
	unlock := server.lock(server.locker(defaultLockLimits), record)
	refused := make(chan error, 1)
	go func() {
		_, _, err := still.Lock(t.Context(), record)
		refused <- err
	}()
	server.until("the process waits", func() bool { return server.waiting() == 1 })
	way.gate.Lock()
	unlock()
	unlockNext := server.lockAtLast(other, record)
	way.gate.Unlock()
	if err := <-refused; !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
	unlockNext()
	server.lockAtLast(still, record)()
}

// lockAtLast takes a lock, even if it is lost now and then.
func (s *lockServer) lockAtLast(locker locks.Locker, record core.ID) (unlock func()) {
	s.t.Helper()
	_, unlock = s.heldAtLast(locker, record)
	return unlock
}

func (s *lockServer) heldAtLast(locker locks.Locker, record core.ID) (held context.Context, unlock func()) {
	s.t.Helper()
	s.until("the lock", func() bool {
		var err error
		held, unlock, err = locker.Lock(s.t.Context(), record)
		return err == nil
	})
	return held, unlock
}

// TestAProcessOfAnEarlierVersionKeepsItsLock holds a lock as earlier versions did, without
// heartbeats, like a suspended process.
func TestAProcessOfAnEarlierVersionKeepsItsLock(t *testing.T) {
	for mark, ended := range map[string]bool{"": false, heartbeatMark: true} {
		server, record := newLockServer(t), core.NewID()
		holder, err := pgx.Connect(t.Context(), server.address)
		if err != nil {
			t.Fatal(err)
		}
		defer holder.Close(context.WithoutCancel(t.Context()))
		if _, err := holder.Exec(t.Context(), "SELECT pg_advisory_lock("+lockKey+")"+mark, string(record)); err != nil {
			t.Fatal(err)
		}
		locker := server.locker(hasty)
		session, err := locker.pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer session.Release()
		waiter := &heldLock{locks: locker, record: record, session: session}
		server.until("the holder has been silent", func() bool {
			return server.count("SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"+
				" WHERE locktype = 'advisory' AND granted AND application_name = ? AND state_change < now() - interval '0.4 seconds'") == 1
		})
		if err := waiter.endSilentHolder(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := holder.Ping(t.Context()); (err != nil) != ended {
			t.Errorf("%q: got %v, want the session ended: %v", mark, err, ended)
		}
	}
}

func TestAHolderThatIsAtWorkKeepsItsLock(t *testing.T) {
	limits := defaultLockLimits
	limits.turn, limits.beat = 10*time.Millisecond, 10*time.Millisecond
	server, record := newLockServer(t), core.NewID()
	held, unlock, err := server.locker(limits).Lock(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	got := server.lockLater(server.locker(limits), record)
	for range 3 {
		before := server.lastSign()
		server.until("the holder sends a heartbeat", func() bool { return server.lastSign() > before })
	}
	if err := locks.Check(held); err != nil {
		t.Errorf("got %v, want the lock", err)
	}
	select {
	case <-got:
		t.Error("a second process has the lock")
	default:
	}
	unlock()
	(<-got)()
	if server.log.String() != "" {
		t.Errorf("got the log %q, want none", &server.log)
	}
}

// lastSign is when the session that has a lock last did something, in microseconds.
func (s *lockServer) lastSign() int {
	s.t.Helper()
	return s.count("SELECT coalesce(max((extract(epoch FROM state_change) * 1000000)::bigint), 0)" +
		" FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND granted AND application_name = ?")
}

func TestACheckOfALockAsksTheServerSeldom(t *testing.T) {
	limits := defaultLockLimits
	limits.beat = time.Hour
	server := newLockServer(t)
	held, unlock, err := server.locker(limits).Lock(t.Context(), core.NewID())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	before := server.lastSign()
	for range 1000 {
		if err := locks.Check(held); err != nil {
			t.Fatal(err)
		}
	}
	if after := server.lastSign(); after != before {
		t.Errorf("got a question at %d after one at %d, want none", after, before)
	}
}
