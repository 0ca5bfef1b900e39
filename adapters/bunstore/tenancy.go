package bunstore

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// tenancyWait is how long a start waits for a process that is about to end. It is also
// the interval at which a claim is retried after its connection broke.
const tenancyWait = 5 * time.Second

// tenancyKey is the key of the advisory lock for the whole database.
const tenancyKey = "hashtextextended('atelier processes in ' || current_schema(), 0)"

// Tenant is a process that works on a database.
type Tenant struct {
	// Name identifies the process for operators, in at most 63 bytes.
	Name string
	// Alone means that the process does not communicate with others, so it tolerates none
	// on its database.
	Alone bool
}

// Tenancy is a process's claim on a whole PostgreSQL database. It is an advisory lock of
// a separate session: exclusive for a process that is alone, shared for processes that
// communicate. The server releases it when the process ends, however it ends.
type Tenancy struct {
	config *pgx.ConnConfig
	tenant Tenant
	log    *slog.Logger
	end    context.CancelFunc
	ended  chan struct{}
}

// OpenTenancy claims the database that a url for Open names, which must be PostgreSQL. If
// the present tenants and this one do not tolerate each other for tenancyWait, it returns
// core.CodeConflict and names one of them. Close ends the claim.
func OpenTenancy(ctx context.Context, url string, tenant Tenant, log *slog.Logger) (*Tenancy, error) {
	return openTenancy(ctx, url, tenant, log, tenancyWait)
}

func openTenancy(ctx context.Context, url string, tenant Tenant, log *slog.Logger, wait time.Duration) (*Tenancy, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "the database's address is not valid")
	}
	tune(config)
	config.RuntimeParams["application_name"] = tenant.Name
	config.RuntimeParams["lock_timeout"] = fmt.Sprint(wait.Milliseconds())
	config.RuntimeParams["statement_timeout"], config.RuntimeParams["idle_session_timeout"] = "0", "0"
	// The session of an unreachable machine ends after a minute and a half.
	preset(config, "tcp_keepalives_idle", "30")
	preset(config, "tcp_keepalives_interval", "10")
	preset(config, "tcp_keepalives_count", "6")
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	t := &Tenancy{config: config, tenant: tenant, log: log, end: end, ended: make(chan struct{})}
	session, err := t.claim(ctx)
	if err != nil {
		end()
		return nil, err
	}
	go t.keep(life, session)
	return t, nil
}

// Close releases the claim.
func (t *Tenancy) Close() {
	t.end()
	<-t.ended
}

// keep holds the session, and claims again when its connection breaks.
func (t *Tenancy) keep(ctx context.Context, session *pgx.Conn) {
	defer close(t.ended)
	for {
		// No notifications are sent: the wait ends with the connection, or with ctx.
		_, err := session.WaitForNotification(ctx)
		hangUp(session)
		if ctx.Err() != nil {
			return
		}
		t.log.WarnContext(ctx, "lost the claim on the database: claiming it again", "error", err)
		if session = t.reclaim(ctx); session == nil {
			return
		}
	}
}

// reclaim returns nil if ctx ends.
func (t *Tenancy) reclaim(ctx context.Context) *pgx.Conn {
	for {
		session, err := t.claim(ctx)
		if err == nil {
			return session
		}
		if core.IsCode(err, core.CodeConflict) {
			t.log.ErrorContext(ctx, "two processes use one database without a shared NATS server: stop one of them", "error", err)
		}
		if ctxsync.Sleep(ctx, tenancyWait) != nil {
			return nil
		}
	}
}

// claim returns a session that holds the lock.
func (t *Tenancy) claim(ctx context.Context) (*pgx.Conn, error) {
	session, err := pgx.ConnectConfig(ctx, t.config)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the database is not available")
	}
	take := "pg_advisory_lock_shared"
	if t.tenant.Alone {
		take = "pg_advisory_lock"
	}
	_, err = session.Exec(ctx, "SELECT "+take+"("+tenancyKey+")")
	if err == nil {
		return session, nil
	}
	defer hangUp(session)
	if isLockTimeout(err) {
		return nil, core.Errorf(core.CodeConflict, "the database is in use by another atelier (%s), and the two do not share a NATS server: stop one, or set the same NATS_URL for both", holder(ctx, session))
	}
	return nil, core.Wrap(core.CodeUnavailable, err, "the database is not available")
}

// holder returns the name of the process that holds the lock.
func holder(ctx context.Context, session *pgx.Conn) string {
	var name, since string
	err := session.QueryRow(ctx, `SELECT a.application_name, to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
		FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid), (SELECT `+tenancyKey+` AS key) AS k
		WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND a.datname = current_database()
			AND l.classid = ((k.key >> 32) & 4294967295)::oid AND l.objid = (k.key & 4294967295)::oid LIMIT 1`).Scan(&name, &since)
	if err != nil {
		return "unknown process"
	}
	return name + ", since " + since + " UTC"
}

func hangUp(session *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = session.Close(ctx)
}
