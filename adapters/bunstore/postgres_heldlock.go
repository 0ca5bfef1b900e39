package bunstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
)

// heldLock is a lock that this process holds or asks for, with its session.
type heldLock struct {
	locks  *Locks
	record core.ID
	// confirmed is when the latest answered statement was sent, in nanoseconds of this
	// machine's uptime. It is neverConfirmed once the lock was lost or released.
	confirmed atomic.Int64

	// mu is held while the session is used, which takes one statement at a time.
	mu        sync.Mutex
	session   *pgxpool.Conn
	heartbeat *time.Timer
}

// neverConfirmed lies before the boot of any machine.
const neverConfirmed = -1 << 62

// uptime is the time since this machine's boot, including sleep.
func uptime() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		panic(err) // every kernel that runs Go programs has this clock
	}
	return now.Nano()
}

// silence is an upper bound on how long the session has sent no heartbeat.
func (h *heldLock) silence() time.Duration { return time.Duration(uptime() - h.confirmed.Load()) }

// isFresh reports whether the last heartbeat is so recent that nobody can have ended the
// session for its silence.
func (h *heldLock) isFresh() bool { return h.silence() < 2*h.locks.limits.beat }

// check is locks.Check.
func (h *heldLock) check() error {
	if h.isFresh() {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.isFresh() {
		return nil
	}
	return h.confirmLocked()
}

// keep starts the heartbeat.
func (h *heldLock) keep() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heartbeat = time.AfterFunc(h.locks.limits.beat, h.beat)
}

func (h *heldLock) beat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.confirmLocked() == nil {
		h.heartbeat.Reset(h.locks.limits.beat)
	}
}

// confirmLocked sends a heartbeat and learns whether the session lives. Only an answer within the
// allowed silence counts: a process that ends the session judges by a silence that began no
// earlier than this process believes.
func (h *heldLock) confirmLocked() error {
	left := h.locks.limits.silence - h.silence()
	if left <= 0 {
		return h.lose(nil)
	}
	ctx, cancel := context.WithTimeout(context.Background(), left)
	defer cancel()
	sent := uptime()
	if _, err := h.session.Exec(ctx, "SELECT 1"+heartbeatMark); err != nil || h.silence() >= h.locks.limits.silence {
		return h.lose(err)
	}
	h.confirmed.Store(sent)
	return nil
}

func (h *heldLock) lose(cause error) error {
	h.confirmed.Store(neverConfirmed)
	return core.Wrap(core.CodeUnavailable, cause, "the service was suspended for too long, and another process may have taken over: try again")
}

// release releases the lock. A lost lock needs no release: the work under it has noticed the
// loss, or had no visible step left.
func (h *heldLock) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heartbeat.Stop()
	lost := h.silence() >= h.locks.limits.silence
	h.confirmed.Store(neverConfirmed)
	ctx, cancel := context.WithTimeout(context.Background(), h.locks.limits.answer)
	defer cancel()
	var held bool
	var err error
	if !lost {
		err = h.session.QueryRow(ctx, "SELECT pg_advisory_unlock("+lockKey+")", string(h.record)).Scan(&held)
	}
	if held {
		h.session.Release()
		return
	}
	h.locks.log.Warn("lost a lock while holding it: unfinished work under it was refused", "record", h.record, "error", err)
	h.locks.end(h.session)
}

// lockKey is the advisory lock's key for a record, whose id is the statement's argument.
const lockKey = "hashtextextended('atelier record ' || $1::text, 0)"

// take waits for the lock. After a long wait it asks again whether it holds the lock, in case
// this process itself was suspended meanwhile.
func (h *heldLock) take(ctx context.Context) error {
	got, err := h.ask(ctx, "SELECT pg_try_advisory_lock("+lockKey+")"+heartbeatMark)
	for err == nil && !got {
		if err = h.endSilentHolder(ctx); err == nil {
			got, err = h.ask(ctx, "SELECT TRUE FROM pg_advisory_lock("+lockKey+")"+heartbeatMark)
		}
	}
	if err != nil {
		return err
	}
	return h.check()
}

// ask sends a statement that takes the lock, and reports whether that succeeded.
func (h *heldLock) ask(ctx context.Context, statement string) (got bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, h.locks.limits.turn+h.locks.limits.answer)
	defer cancel()
	h.confirmed.Store(uptime())
	err = h.session.QueryRow(ctx, statement, string(h.record)).Scan(&got)
	if isLockTimeout(err) {
		return false, nil
	}
	return got, err
}

func isLockTimeout(err error) bool {
	var known *pgconn.PgError
	return errors.As(err, &known) && known.Code == "55P03"
}

// heartbeatMark marks the statements of holders that send heartbeats. A process of an earlier
// version, which may run beside this one during an update, sends none and is never judged
// silent.
const heartbeatMark = " /* shows life */"

// A session that holds the lock is idle since its last heartbeat. If that is long ago, it is
// judged a second time by that same heartbeat. pg_locks and pg_stat_activity are not read at
// one moment, and a session that has done nothing in between held the lock all along.
const (
	findSilent = "SELECT pid, state_change FROM pg_locks JOIN pg_stat_activity USING (pid)," +
		" (SELECT " + lockKey + " AS key) AS wanted" +
		" WHERE locktype = 'advisory' AND granted AND objsubid = 1" +
		" AND database = (SELECT oid FROM pg_database WHERE datname = current_database())" +
		" AND classid::bigint = (key >> 32) & 4294967295 AND objid::bigint = key & 4294967295" +
		" AND state = 'idle' AND state_change <= now() - $2 * interval '1 microsecond'" +
		" AND query LIKE '%" + heartbeatMark + "'"
	endSilent = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity" +
		" WHERE pid = $1 AND state = 'idle' AND state_change = $2"
)

// endSilentHolder ends the session of a holder that has sent no heartbeat for too long.
func (h *heldLock) endSilentHolder(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, h.locks.limits.answer)
	defer cancel()
	var pid int32
	var since time.Time
	err := h.session.QueryRow(ctx, findSilent, string(h.record), h.locks.limits.silence.Microseconds()).Scan(&pid, &since)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = h.session.Exec(ctx, endSilent, pid, since)
	h.locks.log.Warn("took a lock from a suspended process", "record", h.record, "since", since, "session", pid, "error", err)
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return nil // the session of another user: it stays
	}
	return err
}
