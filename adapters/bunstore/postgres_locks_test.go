package bunstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/locks/lockstest"
)

// lockServer is a server whose locks a test observes: those of sessions with a name of
// their own.
type lockServer struct {
	t       *testing.T
	admin   *Store
	address string
	mark    string
	log     conformance.Log
}

func newLockServer(t *testing.T) *lockServer {
	t.Helper()
	address, mark := newPostgres(t), "t"+strings.ReplaceAll(string(core.NewID()), "-", "")
	return &lockServer{t: t, admin: opened(t, address), address: withOption(t, address, "application_name", mark), mark: mark}
}

// locker is one that shares its locks with the others of the server, as another
// process does.
func (s *lockServer) locker(limits lockLimits) *Locks {
	s.t.Helper()
	locker, err := openLocks(s.address, memory.NewLocks(), slog.New(slog.NewTextHandler(&s.log, nil)), limits)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(locker.Close)
	return locker
}

func (s *lockServer) count(query string) (count int) {
	s.t.Helper()
	if err := s.admin.writer.QueryRowContext(s.t.Context(), query, s.mark).Scan(&count); err != nil {
		s.t.Fatal(err)
	}
	return count
}

// locked counts the locks that sessions have or wait for.
func (s *lockServer) locked() int {
	s.t.Helper()
	return s.count("SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)" +
		" WHERE locktype = 'advisory' AND application_name = ?")
}

func (s *lockServer) waiting() int {
	s.t.Helper()
	return s.count("SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)" +
		" WHERE locktype = 'advisory' AND NOT granted AND application_name = ?")
}

func (s *lockServer) sessions() int {
	s.t.Helper()
	return s.count("SELECT count(*) FROM pg_stat_activity WHERE application_name = ?")
}

// lastStatement is when the last statement of a session began, in microseconds.
func (s *lockServer) lastStatement() int {
	s.t.Helper()
	return s.count("SELECT (extract(epoch FROM max(query_start)) * 1000000)::bigint FROM pg_stat_activity WHERE application_name = ?")
}

// until waits for a moment that comes.
func (s *lockServer) until(what string, is func() bool) {
	s.t.Helper()
	conformance.Eventually(s.t, "the moment when "+what, is)
}

// lock takes a lock that must be free.
func (s *lockServer) lock(locker locks.Locker, record core.ID) (unlock func()) {
	s.t.Helper()
	_, unlock, err := locker.Lock(conformance.Bounded(s.t), record)
	if err != nil {
		s.t.Fatalf("got %v, want the lock", err)
	}
	return unlock
}

// giveUp asks for a lock that is taken, and cancels once it is waiting.
func (s *lockServer) giveUp(locker locks.Locker, record core.ID, waits func() bool) {
	s.t.Helper()
	ctx, leave := context.WithCancel(s.t.Context())
	defer leave()
	left := make(chan error, 1)
	go func() {
		_, _, err := locker.Lock(ctx, record)
		left <- err
	}()
	s.until("a caller waits", waits)
	leave()
	if err := conformance.Await(s.t, "the end of the wait", left); !errors.Is(err, context.Canceled) {
		s.t.Errorf("a lock that others hold: got %v, want %v", err, context.Canceled)
	}
}

// lockLater takes a lock once it is free.
func (s *lockServer) lockLater(locker locks.Locker, record core.ID) <-chan func() {
	got := make(chan func(), 1)
	go func() {
		_, unlock, err := locker.Lock(s.t.Context(), record)
		if err != nil {
			s.t.Errorf("got %v, want the lock", err)
			unlock = func() {}
		}
		got <- unlock
	}()
	return got
}

func TestLocksOnPostgres(t *testing.T) {
	lockstest.Run(t, func(t *testing.T) (here, there locks.Locker) {
		server := newLockServer(t)
		return server.locker(defaultLockLimits), server.locker(defaultLockLimits)
	})
}

func TestLocksOfTwoProcessesExcludeEachOther(t *testing.T) {
	server := newLockServer(t)
	lockers := []*Locks{server.locker(defaultLockLimits), server.locker(defaultLockLimits)}
	records := make([]core.ID, 50)
	counters := make([]int, len(records))
	for i := range records {
		records[i] = core.NewID()
	}
	var inside [50]atomic.Int32
	var all sync.WaitGroup
	for worker := range 200 {
		all.Go(func() {
			for range 5 {
				i := rand.N(len(records))
				_, unlock, err := lockers[worker%2].Lock(t.Context(), records[i])
				if err != nil {
					t.Errorf("got %v, want the lock", err)
					return
				}
				if holders := inside[i].Add(1); holders != 1 {
					t.Errorf("got %d holders of a lock, want 1", holders)
				}
				counters[i]++
				inside[i].Add(-1)
				unlock()
			}
		})
	}
	all.Wait()
	sum := 0
	for _, count := range counters {
		sum += count
	}
	if sum != 1000 || server.locked() != 0 {
		t.Errorf("got %d turns and %d locks left, want 1000 and none", sum, server.locked())
	}
	if got := server.sessions(); got > 2*maxLockConns {
		t.Errorf("got %d sessions, want at most %d", got, 2*maxLockConns)
	}
	if server.log.String() != "" {
		t.Errorf("got the log %q, want none", &server.log)
	}
}

func TestALockWhoseSessionEndsIsFreeAndItsHolderSaysSo(t *testing.T) {
	server, record := newLockServer(t), core.NewID()
	here, there := server.locker(defaultLockLimits), server.locker(defaultLockLimits)
	held, unlock, err := here.Lock(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	_, err = server.admin.writer.ExecContext(t.Context(),
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?", server.mark)
	if err != nil {
		t.Fatal(err)
	}
	next := server.lock(there, record)
	server.until("the holder finds out", func() bool { return core.IsCode(locks.Check(held), core.CodeUnavailable) })
	unlock()
	if log := server.log.String(); !strings.Contains(log, "level=WARN") || !strings.Contains(log, string(record)) {
		t.Errorf("got the log %q, want a warning that names the record", log)
	}
	server.giveUp(here, record, func() bool { return server.waiting() == 1 })
	next()
	server.lock(here, record)()
}

// lockHolderVariable turns the test binary into a holder of the lock on crashChat.
const lockHolderVariable = "BUNSTORE_LOCK_HOLDER"

func holdUntilKilled(ctx context.Context, address string) error {
	locker, err := OpenLocks(address, memory.NewLocks(), slog.Default())
	if err != nil {
		return err
	}
	if _, _, err := locker.Lock(ctx, crashChat); err != nil {
		return err
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func TestAKilledProcessFreesItsLocks(t *testing.T) {
	server := newLockServer(t)
	holder := exec.CommandContext(t.Context(), os.Args[0])
	holder.Env = append(os.Environ(), lockHolderVariable+"="+server.address)
	holder.Stderr = os.Stderr
	output, err := holder.StdoutPipe()
	if err == nil {
		_, err = holder.StdinPipe()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if lines := bufio.NewScanner(output); !lines.Scan() {
		t.Fatalf("got %v, want a process that holds the lock", lines.Err())
	}
	got := server.lockLater(server.locker(defaultLockLimits), crashChat)
	server.until("a process waits", func() bool { return server.waiting() == 1 })
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	(<-got)()
	if err := holder.Wait(); err == nil {
		t.Error("got nil, want a process that was killed")
	}
}

func TestCallersThatGiveUpLeaveNoLock(t *testing.T) {
	server := newLockServer(t)
	here, there := server.locker(defaultLockLimits), server.locker(defaultLockLimits)
	records := []core.ID{core.NewID(), core.NewID(), core.NewID(), core.NewID()}
	var all sync.WaitGroup
	for worker := range 100 {
		all.Go(func() {
			locker := here
			if worker%2 == 0 {
				locker = there
			}
			for range 5 {
				ctx, leave := context.WithCancel(t.Context())
				go func() { // It leaves after some answers of the busy server.
					defer leave()
					for range rand.N(10) {
						_ = server.admin.Ping(ctx)
					}
				}()
				_, unlock, err := locker.Lock(ctx, records[worker%len(records)])
				if err == nil {
					leave()
					unlock()
				} else if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
					t.Errorf("got %v, want the context's error", err)
				}
				leave()
			}
		})
	}
	all.Wait()
	server.until("no lock is held or waited for", func() bool { return server.locked() == 0 })
	for _, record := range records {
		server.lock(here, record)()
		server.lock(there, record)()
	}
	if server.log.String() != "" {
		t.Errorf("got the log %q, want none", &server.log)
	}
}

func TestManyWaitersOfAProcessTakeOneConnection(t *testing.T) {
	server, record := newLockServer(t), core.NewID()
	unlock := server.lock(server.locker(defaultLockLimits), record)
	here := server.locker(defaultLockLimits)
	var all sync.WaitGroup
	for range 50 {
		later := server.lockLater(here, record)
		all.Go(func() { (<-later)() })
	}
	server.until("a caller waits", func() bool { return server.waiting() == 1 })
	server.lock(here, core.NewID())()
	if got := server.sessions(); got > 3 {
		t.Errorf("got %d sessions, want one that holds, one that waits, and one", got)
	}
	unlock()
	all.Wait()
}

func TestMoreLocksThanConnectionsWaitForTheirTurn(t *testing.T) {
	server := newLockServer(t)
	here := server.locker(defaultLockLimits)
	held := make([]func(), maxLockConns)
	for i := range held {
		held[i] = server.lock(here, core.NewID())
	}
	record := core.NewID()
	server.giveUp(here, record, func() bool { return server.sessions() == maxLockConns })
	got := server.lockLater(here, record)
	held[0]()
	(<-got)()
	for _, unlock := range held {
		unlock()
	}
}

func TestWaitingOutlastsTheTurnsItConsistsOf(t *testing.T) {
	server, record := newLockServer(t), core.NewID()
	unlock := server.lock(server.locker(defaultLockLimits), record)
	limits := defaultLockLimits
	limits.turn = time.Millisecond
	there := server.locker(limits)
	// A turn has at most two statements.
	statements := map[int]bool{}
	server.giveUp(there, record, func() bool {
		statements[server.lastStatement()] = true
		return len(statements) > 10
	})
	unlock()
	server.lock(there, record)()
}

func TestALockFromASilentServerIsUnavailable(t *testing.T) {
	server, between := newLockServer(t), pausableProxy{}
	server.address = between.put(t, server.address)
	limits := defaultLockLimits
	limits.turn, limits.answer = 50*time.Millisecond, 50*time.Millisecond
	here, record := server.locker(limits), core.NewID()
	idle, unlock := server.lock(here, record), server.lock(here, core.NewID())
	idle()
	between.gate.Lock()
	_, _, err := here.Lock(t.Context(), record)
	if !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
	unlock()
	between.gate.Unlock()
	if log := server.log.String(); !strings.Contains(log, "level=WARN") {
		t.Errorf("got the log %q, want a warning", log)
	}
}

func TestLocksTellWhatIsWrongWithAnAddress(t *testing.T) {
	const secret = "hunter2"
	for _, address := range []string{"postgres://a:" + secret + "@127.0.0.1:no/name", "postgres://a:" + secret + "@h/name?sslmode=maybe"} {
		_, err := OpenLocks(address, memory.NewLocks(), slog.Default())
		if !core.IsCode(err, core.CodeValidationFailed) || strings.Contains(err.Error(), secret) {
			t.Errorf("got %v, want code %s without the password", err, core.CodeValidationFailed)
		}
	}
	locker, err := OpenLocks("postgres://a:"+secret+"@127.0.0.1:1/name?sslmode=disable", memory.NewLocks(), slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer locker.Close()
	_, _, err = locker.Lock(t.Context(), core.NewID())
	if !core.IsCode(err, core.CodeUnavailable) || strings.Contains(err.Error(), secret) {
		t.Errorf("got %v, want code %s without the password", err, core.CodeUnavailable)
	}
}
