package bunstore

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
)

var _ locks.Locker = (*Locks)(nil)

// maxLockConns is how many locks a process holds or waits for at a time; others wait
// for their turn. With those of the store, two processes stay below the 100 connections
// that PostgreSQL takes by default.
const maxLockConns = 24

// lockLimits bound the calls that a lock is made of.
type lockLimits struct {
	// turn is how long one statement waits for a lock; another follows it.
	turn time.Duration
	// answer is how long the server may take to answer. One that has not said by then
	// that a lock is still another's does not answer at all.
	answer time.Duration
}

var defaultLockLimits = lockLimits{turn: 10 * time.Second, answer: 10 * time.Second}

// Locks are shared by all processes on one PostgreSQL database: advisory locks of
// sessions, on connections of their own, because the work under a lock needs those of
// the store. They need a connection that is a session of the server, so a pooler in
// between must not hand out its own by transactions. Nobody takes a second lock under
// one: those who wait for each other's connections would wait for ever.
//
// PostgreSQL frees a lock when its session ends, be it that the process died, that the
// connection broke, or that the server was started anew. After the last two the holder
// does not know: it finds out when it gives the lock back, and says so in the log. The
// session of a machine that fell silent ends after a minute and a half, when what the
// machine did under the lock is over, because that takes a minute at most; only versions
// that arrive from elsewhere or are restored may take longer. Where two work at the same
// time all the same, files and the repository's index stay whole, as each is replaced in
// one step, and a reconciliation brings the cache back in step with the disk.
//
// A process that is stopped on a machine that goes on keeps its locks until it continues or
// ends: it may be in the middle of a write, which nothing could keep from reaching the disk
// later. Until then whoever needs one of its locks waits, those too who would take over a
// room of that project.
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
func (l *Locks) Lock(ctx context.Context, record core.ID) (unlock func(), err error) {
	leave, err := l.local.Lock(ctx, record)
	if err != nil {
		return nil, err
	}
	session, err := l.acquire(ctx, record)
	if err != nil {
		leave()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, core.Wrap(core.CodeUnavailable, err, "the database is not available")
	}
	return sync.OnceFunc(func() {
		defer leave()
		l.release(session, record)
	}), nil
}

// acquire returns a session that has the record's lock. A session that may have it or
// not is closed, which frees it.
func (l *Locks) acquire(ctx context.Context, record core.ID) (*pgxpool.Conn, error) {
	session, err := l.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	err = l.ask(ctx, session, record)
	for isLockTimeout(err) {
		err = l.ask(ctx, session, record)
	}
	if err != nil {
		l.end(session)
		return nil, err
	}
	return session, nil
}

// lockKey is the key of a record's lock, of which the statement's argument is the id.
const lockKey = "hashtextextended('atelier record ' || $1::text, 0)"

// ask waits for one turn.
func (l *Locks) ask(ctx context.Context, session *pgxpool.Conn, record core.ID) error {
	ctx, cancel := context.WithTimeout(ctx, l.limits.turn+l.limits.answer)
	defer cancel()
	_, err := session.Exec(ctx, "SELECT pg_advisory_lock("+lockKey+")", string(record))
	return err
}

func isLockTimeout(err error) bool {
	var known *pgconn.PgError
	return errors.As(err, &known) && known.Code == "55P03"
}

func (l *Locks) release(session *pgxpool.Conn, record core.ID) {
	ctx, cancel := context.WithTimeout(context.Background(), l.limits.answer)
	defer cancel()
	var held bool
	err := session.QueryRow(ctx, "SELECT pg_advisory_unlock("+lockKey+")", string(record)).Scan(&held)
	if err == nil && held {
		session.Release()
		return
	}
	l.log.Error("a lock was lost while it was held: another process may have worked at the same time", "record", record, "error", err)
	l.end(session)
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
