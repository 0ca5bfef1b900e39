package bunstore

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/tracing"
)

var _ storage.Store = (*Store)(nil)

// Store is a database. It is safe for concurrent use.
type Store struct {
	// writer and reader are one connection pool on PostgreSQL. On SQLite the writer has
	// one connection, so that writers wait in this process instead of failing on the lock
	// of the file.
	writer, reader *bun.DB
	lookups        lookups
	dialect        dialect
	limits         limits
	// clock is nil on SQLite, whose processes are all on this machine.
	clock *clock
}

// limits bound how long an unresponsive database can block a caller.
type limits struct {
	// call bounds one method outside of a transaction, including the wait for a
	// connection and for locks.
	call time.Duration
	// tx bounds a whole transaction with its repetitions.
	tx time.Duration
	// migration bounds Migrate, including the wait for another process that migrates.
	migration time.Duration
}

var defaultLimits = limits{call: 15 * time.Second, tx: 30 * time.Second, migration: 10 * time.Minute}

// Open connects to the database that url names: "sqlite://<path>", whose file it creates
// if needed, or "postgres://…" as libpq accepts it. Any other url has code
// core.CodeValidationFailed, an unreachable database core.CodeUnavailable. Open does not
// check the schema; that is Migrate's task.
func Open(ctx context.Context, url string) (*Store, error) { return open(ctx, url, defaultLimits) }

func open(ctx context.Context, url string, limits limits) (*Store, error) {
	var store *Store
	var err error
	if path, found := strings.CutPrefix(url, "sqlite://"); found {
		store, err = openSQLite(path)
	} else if IsPostgres(url) {
		store, err = openPostgres(url)
	} else {
		err = core.Errorf(core.CodeValidationFailed, "a database must be sqlite://<path> or postgres://<user>:<password>@<host>/<name>")
	}
	if err != nil {
		return nil, err
	}
	store.limits = limits
	if IsPostgres(url) {
		store.clock, err = startClock(ctx, store)
	} else {
		err = store.Ping(ctx)
	}
	if err != nil {
		_ = store.Close()
		return nil, err
	}
	return store, nil
}

// IsPostgres reports whether url names a PostgreSQL database, which several processes may
// use.
func IsPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Tables implements storage.Store.
func (s *Store) Tables() storage.Tables { return tables(s) }

// InTx implements storage.Store. It repeats do if PostgreSQL cannot serialize the
// transaction with others.
func (s *Store) InTx(ctx context.Context, do func(ctx context.Context, tables storage.Tables) error) (err error) {
	ctx, span := tracing.Child(ctx, "database transaction", tracing.Client)
	defer func() { tracing.End(span, err) }()
	var refused error
	err = s.retry(ctx, s.limits.tx, func(ctx context.Context) error {
		refused = nil
		return s.writer.RunInTx(ctx, &sql.TxOptions{Isolation: s.dialect.isolation()}, func(ctx context.Context, tx bun.Tx) error {
			session := &transaction{tx: tx, store: s}
			refused = do(ctx, tables(session))
			if session.failure != nil {
				return session.failure
			}
			return refused
		})
	})
	if err != nil && refused != nil {
		return refused
	}
	return s.translate(err, "record")
}

// Ping implements storage.Store.
func (s *Store) Ping(ctx context.Context) error {
	return s.read(ctx, "record", func(ctx context.Context, db bun.IDB) error {
		_, err := db.ExecContext(ctx, s.dialect.ping())
		return err
	})
}

// CheckWrite implements storage.Store.
func (s *Store) CheckWrite(ctx context.Context) error {
	err := s.retry(ctx, s.limits.call, func(ctx context.Context) error {
		return s.writer.RunInTx(ctx, &sql.TxOptions{}, s.dialect.probe)
	})
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database accepts no changes")
	}
	return nil
}

// writeProbe changes the only record of its table.
func writeProbe(ctx context.Context, tx bun.Tx) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO probes (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = EXCLUDED.at", core.At(time.Now()))
	return err
}

// Pool returns how many connections to the database are open, and how many are in use.
func (s *Store) Pool() (open, busy int) {
	stats := s.reader.Stats()
	open, busy = stats.OpenConnections, stats.InUse
	if s.writer != s.reader {
		stats = s.writer.Stats()
		open, busy = open+stats.OpenConnections, busy+stats.InUse
	}
	return open, busy
}

// Now implements storage.Store.
func (s *Store) Now() time.Time {
	if s.clock == nil {
		return time.Now()
	}
	return s.clock.now()
}

// Close implements storage.Store.
func (s *Store) Close() error {
	if s.clock != nil {
		s.clock.close()
	}
	err := s.reader.Close()
	if s.writer != s.reader {
		if writerErr := s.writer.Close(); err == nil {
			err = writerErr
		}
	}
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database did not close")
	}
	return nil
}

func tables(in session) storage.Tables {
	return storage.Tables{
		Users:       users{in},
		Workspaces:  workspaces{in},
		Folders:     folders{in},
		Projects:    projects{in},
		Files:       files{in},
		Edits:       edits{in},
		Chats:       chats{in},
		Events:      events{in},
		Runs:        runs{in},
		Attachments: attachments{in},
		Providers:   providers{in},
		Usage:       usage{in},
		Deployments: deployments{in},
		Thumbnails:  thumbnails{in},
		Environment: environment{in},
		Domains:     domains{in},
		Rooms:       rooms{in},
		FormerRooms: formerRooms{in},
		SlugHolds:   slugHolds{in},
		TestMails:   testMails{in},
		CreditHolds: creditHolds{in},
		DataClaims:  dataClaims{in},

		InstanceSettings: instanceSettings(in),
		LastBackup:       lastBackup(in),
		InstanceInvites:  instanceInvites{in},
		Roster:           roster{in}, CompanyProviders: companyProviders{in}, PlatformProviders: platformProviders{in}, GroupGrants: groupGrants{in},

		FunctionSchedules: functionSchedules{in},
		Tasks:             tasks{in},
		Comments:          comments{in},
		ProjectRemotes:    projectRemotes{in},
		ProgramClients:    programClients{in},
		ProgramGrants:     programGrants{in},
		Webhooks:          webhooks{in},
		Connectors:        connectors{in},
		SharedTemplates:   sharedTemplates{in},
		WebhookDeliveries: webhookDeliveries{in},

		AcceptedFindings: acceptedFindings{in},
		CheckOutcomes:    checkOutcomes{in},
		SiteSettings:     siteSettings{in},
		Takedowns:        takedowns{in},
		VersionMarks:     versionMarks{in},
		PreviewLinks:     previewLinks{in},
		SiteCounts:       siteCounts{in},
		BackendCalls:     backendCalls{in},
		SignInProviders:  signInProviders{in},
		Snapshots:        snapshots{in},
		Factors:          factors{in},
		Passkeys:         passkeys{in},
		Identities:       identities{in},
		Tickets:          tickets{in},
		Sessions:         sessions{in},
		APITokens:        tokens{in},
		Subscriptions:    subscriptions{in},
		Members:          members{in},
		Invites:          invites{in},
		Modes:            modes{in},
		Commands:         commands{in},
		Mails:            mails{in},
		Audit:            audit{in},
	}
}
