package bunstore

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
)

var _ locks.Locker = (*Locks)(nil)

// maxLockConns is how many locks a process holds or waits for at the same time; further
// callers wait. Together with the store's connections, two processes stay below the 100
// connections that PostgreSQL accepts by default.
const maxLockConns = 24

// lockLimits bound the calls that make up a lock, and the silence of its holder.
type lockLimits struct {
	// turn is how long one statement waits for a lock before another follows it.
	turn time.Duration
	// answer is how long the server may take to answer. A server that takes longer to report
	// that a lock is still taken counts as down.
	answer time.Duration
	// beat is the interval of a holder's heartbeats.
	beat time.Duration
	// silence is how long a holder may send no heartbeat before it loses its lock.
	silence time.Duration
}

var defaultLockLimits = lockLimits{turn: 3 * time.Second, answer: 10 * time.Second, beat: time.Second, silence: 10 * time.Second}

// Locks is a keyed lock that all processes on one PostgreSQL database share. It takes
// advisory locks of sessions, on connections of its own, because the work under a lock needs
// the store's connections. Each connection must be a session of the server, so a pooler in between must
// not assign connections per transaction. Nobody takes a second lock while holding one:
// callers that wait for each other's connections would wait forever.
//
// PostgreSQL releases a lock when its session ends: the process died, the connection broke, or
// the server restarted. A suspended process, whether or not its machine runs on, keeps its
// session open. So a holder sends heartbeats: once a second it sends a statement over the
// lock's session, and pg_stat_activity says when that was. A caller that finds a lock taken
// checks its holder. If the holder has been silent for 10 seconds, the caller ends its session
// (endSilentHolder), which releases the lock. In this way a lock is a lease that heartbeats renew.
//
// The holder notices the loss before its next step (locks.Check). If the last answered
// statement was sent less than two seconds ago, nobody can have ended the session for its
// silence, and no question is needed. After that the session is asked. A session that was
// silent for 10 seconds is never used again, even if it still answers, because another process
// may be about to end it. Steps that rename files are also fenced by the files themselves: the
// next holder of a project's lock clears away what the last one has not renamed into place.
// These cases remain open:
//   - a holder that is suspended within the microseconds between its check and the removal
//     or move of a file completes that step when it resumes;
//   - a machine whose clocks stopped with it, such as a virtual machine that its host paused
//     silently, takes steps for at most a second after it resumes;
//   - a server whose clock jumps ahead by 10 seconds may end the session of a holder that
//     others wait for; that holder takes steps for at most a second before it notices;
//   - if track_activities is off, or processes are different users of the server, silence is
//     invisible, and a lock is released only when its process resumes or ends, or its machine
//     has been gone for a minute and a half.
type Locks struct {
	// local queues the callers of this process, so that each record takes one connection.
	local  locks.Locker
	pool   *pgxpool.Pool
	limits lockLimits
	log    *slog.Logger
}

// OpenLocks returns the locks of the database that a url for Open names, which must be
// PostgreSQL. local is the lock of this process. It does not connect yet. If the url cannot be
// parsed, the error has code core.CodeValidationFailed.
func OpenLocks(url string, local locks.Locker, log *slog.Logger) (*Locks, error) {
	return openLocks(url, local, log, defaultLockLimits)
}

func openLocks(url string, local locks.Locker, log *slog.Logger, limits lockLimits) (*Locks, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "the database's address is not valid")
	}
	tuneLocks(config, limits)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "the database's address cannot be used")
	}
	return &Locks{local: local, pool: pool, limits: limits, log: log}, nil
}

func tuneLocks(config *pgxpool.Config, limits lockLimits) {
	tune(config.ConnConfig)
	preset(config.ConnConfig, "tcp_keepalives_idle", "30")
	preset(config.ConnConfig, "tcp_keepalives_interval", "10")
	preset(config.ConnConfig, "tcp_keepalives_count", "6")
	// Waiting for a lock is not a slow statement, and holding one is not idleness.
	parameters := config.ConnConfig.RuntimeParams
	parameters["lock_timeout"] = strconv.FormatInt(limits.turn.Milliseconds(), 10)
	parameters["statement_timeout"], parameters["idle_session_timeout"] = "0", "0"
	config.MaxConns, config.MinConns, config.MinIdleConns = maxLockConns, 0, 0
	config.MaxConnIdleTime, config.PingTimeout = time.Minute, 2*time.Second
}

// Lock implements locks.Locker.
func (l *Locks) Lock(ctx context.Context, record core.ID) (held context.Context, unlock func(), err error) {
	held, leave, err := l.local.Lock(ctx, record)
	if err != nil {
		return nil, nil, err
	}
	lock, err := l.acquire(ctx, record)
	if err != nil {
		leave()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if core.IsCode(err, core.CodeUnavailable) {
			return nil, nil, err
		}
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "the database is not available")
	}
	return locks.With(held, lock.check), sync.OnceFunc(func() {
		defer leave()
		lock.release()
	}), nil
}

// acquire returns the record's lock. It closes a session that may or may not hold the lock,
// which releases it.
func (l *Locks) acquire(ctx context.Context, record core.ID) (*heldLock, error) {
	session, err := l.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	lock := &heldLock{locks: l, record: record, session: session}
	if err := lock.take(ctx); err != nil {
		l.end(session)
		return nil, err
	}
	lock.keep()
	return lock, nil
}

// end closes a session. The pool then opens another on demand.
func (l *Locks) end(session *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), l.limits.answer)
	defer cancel()
	_ = session.Conn().Close(ctx)
	session.Release()
}

// Close ends all sessions. It waits for held locks, but not for long: the server releases them
// when the process ends.
func (l *Locks) Close() {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		l.pool.Close()
	}()
	select {
	case <-closed:
	case <-time.After(l.limits.answer):
	}
}
