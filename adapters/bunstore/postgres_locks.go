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

// maxLockConns is how many locks a process holds or waits for at a time; others wait
// for their turn. With those of the store, two processes stay below the 100 connections
// that PostgreSQL takes by default.
const maxLockConns = 24

// lockLimits bound the calls that a lock is made of, and how long its holder may be silent.
type lockLimits struct {
	// turn is how long one statement waits for a lock; another follows it.
	turn time.Duration
	// answer is how long the server may take to answer. One that has not said by then
	// that a lock is still another's does not answer at all.
	answer time.Duration
	// beat is how often a holder shows life.
	beat time.Duration
	// silence is after how long without a sign of life a holder loses its lock.
	silence time.Duration
}

var defaultLockLimits = lockLimits{turn: 3 * time.Second, answer: 10 * time.Second, beat: time.Second, silence: 10 * time.Second}

// Locks are shared by all processes on one PostgreSQL database: advisory locks of
// sessions, on connections of their own, because the work under a lock needs those of
// the store. They need a connection that is a session of the server, so a pooler in
// between must not hand out its own by transactions. Nobody takes a second lock under
// one: those who wait for each other's connections would wait for ever.
//
// PostgreSQL frees a lock when its session ends, be it that the process died, that the
// connection broke, or that the server was started anew. A process that stands still, on a
// machine that goes on or not, leaves its session open. So a holder shows life: once a
// second it sends a statement over the lock's session, and pg_stat_activity says when that
// was. A caller that finds a lock taken looks at its holder, and ends the session of one that
// has been silent for 10 seconds (seize), which frees the lock.
//
// The holder finds out before its next step (locks.Check). While the last statement that
// the session has answered was sent less than two seconds ago, nobody can have ended the
// session for its silence, and no question is needed; after that the session is asked. One
// that was silent for 10 seconds is never used again, even when it still answers, because
// somebody may be about to end it. Steps that the disk takes by a rename are also fenced by
// what they rename: the next holder of a project's lock clears away what the last one has
// not put in its place. What is left open:
//   - a holder that stops within the microseconds between its check and the removal or move
//     of a file carries that out when it goes on;
//   - a machine whose clocks stood still with it, as a virtual one that its host paused
//     without telling it, takes steps for a second at most after it goes on;
//   - a server whose clock jumps ahead by 10 seconds may end the session of a holder that
//     others wait for, which takes steps for a second at most before it finds out;
//   - with track_activities off, or processes that are different users of the server, no
//     silence shows, and a lock is freed only when its process goes on or ends, or its machine
//     has been gone for a minute and a half.
type Locks struct {
	// local puts the callers of this process in a line, so that a record takes one
	// connection.
	local  locks.Locker
	pool   *pgxpool.Pool
	limits lockLimits
	log    *slog.Logger
}

// OpenLocks returns the locks of the database that a url for Open names, which must be
// PostgreSQL. local is the lock of this process. Nothing is connected yet. An address
// that cannot be read has code core.CodeValidationFailed.
func OpenLocks(url string, local locks.Locker, log *slog.Logger) (*Locks, error) {
	return openLocks(url, local, log, defaultLockLimits)
}

func openLocks(url string, local locks.Locker, log *slog.Logger, limits lockLimits) (*Locks, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "the database's address cannot be read")
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
	// Waiting is no work that takes too long, and holding a lock no idleness.
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

// acquire returns the record's lock. A session that may have it or not is closed, which
// frees it.
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

// end closes a session; the pool then makes another when it needs one.
func (l *Locks) end(session *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), l.limits.answer)
	defer cancel()
	_ = session.Conn().Close(ctx)
	session.Release()
}

// Close ends all sessions. It waits for locks that are held, but not for long: the
// server frees them when the process ends.
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
