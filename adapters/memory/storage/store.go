// Package storage is a storage.Store in memory. Package memory makes one.
package storage

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/storage"
)

var _ storage.Store = (*Store)(nil)

// Store is a storage.Store that lives as long as the process. Readers see the last
// committed state and never wait. One writer at a time prepares the next state and
// commits it by swapping one pointer (copy-on-write).
type Store struct {
	// writing is held by the call that may commit.
	writing   *ctxsync.Mutex
	committed atomic.Pointer[database]
	closed    atomic.Bool
}

// New returns an empty store. It is safe for concurrent use.
func New() *Store {
	s := &Store{writing: ctxsync.NewMutex()}
	s.committed.Store(&database{})
	return s
}

// Tables implements storage.Store.
func (s *Store) Tables() storage.Tables { return tables(s) }

// InTx implements storage.Store. It runs do once.
func (s *Store) InTx(ctx context.Context, do func(ctx context.Context, tables storage.Tables) error) error {
	return s.change(ctx, func(state *database) error {
		tx := &transaction{state: state}
		defer tx.ended.Store(true)
		if err := do(ctx, tables(tx)); err != nil {
			return err
		}
		return s.check(ctx)
	})
}

// Ping implements storage.Store.
func (s *Store) Ping(ctx context.Context) error { return s.check(ctx) }

// CheckWrite implements storage.Store.
func (s *Store) CheckWrite(ctx context.Context) error { return s.check(ctx) }

// Now implements storage.Store.
func (s *Store) Now() time.Time { return time.Now() }

// Close implements storage.Store. Every call after it has code
// core.CodeUnavailable.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

func (s *Store) check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the call was canceled")
	}
	if s.closed.Load() {
		return core.Errorf(core.CodeUnavailable, "the database is closed")
	}
	return nil
}

func (s *Store) view(ctx context.Context) (*database, error) {
	return s.committed.Load(), s.check(ctx)
}

func (s *Store) change(ctx context.Context, do func(*database) error) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	if err := s.writing.Lock(ctx); err != nil {
		return s.check(ctx)
	}
	defer s.writing.Unlock()
	next := s.committed.Load().fork()
	if err := do(next); err != nil {
		return err
	}
	s.committed.Store(next)
	return nil
}

// conn is the access of the repositories to the data: the store itself, or one
// transaction.
type conn interface {
	view(ctx context.Context) (*database, error)
	// change keeps the changes of do unless do returns an error.
	change(ctx context.Context, do func(*database) error) error
}

// transaction is a transaction. A failed change leaves no trace, because every repository
// checks everything before it writes, so the transaction can go on.
type transaction struct {
	state *database
	ended atomic.Bool
}

func (tx *transaction) view(ctx context.Context) (*database, error) {
	if err := ctx.Err(); err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the call was canceled")
	}
	if tx.ended.Load() {
		return nil, core.Errorf(core.CodeUnavailable, "the transaction has ended")
	}
	return tx.state, nil
}

func (tx *transaction) change(ctx context.Context, do func(*database) error) error {
	if _, err := tx.view(ctx); err != nil {
		return err
	}
	return do(tx.state)
}

func tables(session conn) storage.Tables {
	return storage.Tables{
		Users:       users{usersOf(session)},
		Workspaces:  workspaces{workspacesOf(session)},
		Folders:     folders{foldersOf(session)},
		Projects:    projects{projectsOf(session)},
		Files:       files{session},
		Edits:       edits{session},
		Chats:       chats{chatsOf(session)},
		Events:      events{session},
		Runs:        runs{runsOf(session)},
		Attachments: attachments{session},
		Providers:   providers{providersOf(session)},
		Usage:       usage{session},
		Deployments: deployments{deploymentsOf(session)},
		Thumbnails:  thumbnails{session},
		Environment: environment{session},
		Domains:     domains{domainsOf(session)},
		Rooms:       rooms{session},
		FormerRooms: formerRooms{session},
		SlugHolds:   slugHolds{session},
		TestMails:   testMails{session},
		CreditHolds: creditHolds{session},
		DataClaims:  dataClaims{session},

		InstanceSettings: instanceSettings{session},
		LastBackup:       lastBackup{session},
		InstanceInvites:  instanceInvites{instanceInvitesOf(session)},
		Roster:           roster{session}, CompanyProviders: companyProviders{companyProvidersOf(session)}, PlatformProviders: platformProviders{platformProvidersOf(session)}, GroupGrants: groupGrants{session},

		Webhooks:          webhooks{webhooksOf(session)},
		Connectors:        connectors{connectorsOf(session)},
		SharedTemplates:   sharedTemplates{sharedTemplatesOf(session)},
		WebhookDeliveries: webhookDeliveries{webhookDeliveriesOf(session)},

		FunctionSchedules: functionSchedules{session},
		Tasks:             tasks{tasksOf(session)},
		Comments:          comments{commentsOf(session)},
		ProjectRemotes:    projectRemotes{projectRemotesOf(session)},
		ProgramClients:    programClients{programClientsOf(session)},
		ProgramGrants:     programGrants{programGrantsOf(session)},

		AcceptedFindings: acceptedFindings{session},
		CheckOutcomes:    checkOutcomes{session},
		SiteSettings:     siteSettings{session},
		Takedowns:        takedowns{takedownsOf(session)},
		VersionMarks:     versionMarks{session},
		PreviewLinks:     previewLinks{session},
		SiteCounts:       siteCounts{session},
		BackendCalls:     backendCalls{session},
		SignInProviders:  signInProviders{session},
		Snapshots:        snapshots{snapshotsOf(session)},
		Factors:          factors{session},
		Passkeys:         passkeys{passkeysOf(session)},
		Identities:       identities{session},
		Tickets:          tickets{session},
		Sessions:         sessions{sessionsOf(session)},
		APITokens:        tokens{tokensOf(session)},
		Subscriptions:    subscriptions{subscriptionsOf(session)},
		Members:          members{session},
		Invites:          invites{invitesOf(session)},
		Modes:            modes{modesOf(session)}, Commands: commands{commandsOf(session)},
		Mails: mails{mailsOf(session)},
		Audit: audit{auditOf(session)},
	}
}
