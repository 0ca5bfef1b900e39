package memory

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

var _ storage.Store = (*Store)(nil)

// Store is a storage.Store that lives as long as the process. Readers see the
// last committed state and never wait; one writer at a time makes the next state
// aside and commits it by swapping one pointer.
type Store struct {
	// writer holds one token, which whoever may commit has taken.
	writer    chan struct{}
	committed atomic.Pointer[storeState]
	closed    atomic.Bool
}

// NewStore returns an empty store. It may be used by many goroutines.
func NewStore() *Store {
	s := &Store{writer: make(chan struct{}, 1)}
	s.committed.Store(&storeState{})
	s.writer <- struct{}{}
	return s
}

// Tables implements storage.Store.
func (s *Store) Tables() storage.Tables { return storeTables(s) }

// InTx implements storage.Store. It runs do once.
func (s *Store) InTx(ctx context.Context, do func(ctx context.Context, tables storage.Tables) error) error {
	return s.change(ctx, func(state *storeState) error {
		tx := &storeTx{state: state}
		defer tx.ended.Store(true)
		if err := do(ctx, storeTables(tx)); err != nil {
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
		return core.Wrap(core.CodeUnavailable, err, "the call was ended")
	}
	if s.closed.Load() {
		return core.Errorf(core.CodeUnavailable, "the database is closed")
	}
	return nil
}

func (s *Store) view(ctx context.Context) (*storeState, error) {
	return s.committed.Load(), s.check(ctx)
}

func (s *Store) change(ctx context.Context, do func(*storeState) error) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	select {
	case <-s.writer:
	case <-ctx.Done():
		return s.check(ctx)
	}
	defer func() { s.writer <- struct{}{} }()
	next := s.committed.Load().fork()
	if err := do(next); err != nil {
		return err
	}
	s.committed.Store(next)
	return nil
}

// storeSession is what the repositories read and write through: the store
// itself, or one transaction.
type storeSession interface {
	view(ctx context.Context) (*storeState, error)
	// change keeps what do did to the state unless it returns an error.
	change(ctx context.Context, do func(*storeState) error) error
}

// storeTx is a transaction. A change that fails leaves nothing, because every
// repository checks all before it writes: so the transaction can go on.
type storeTx struct {
	state *storeState
	ended atomic.Bool
}

func (tx *storeTx) view(ctx context.Context) (*storeState, error) {
	if err := ctx.Err(); err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the call was ended")
	}
	if tx.ended.Load() {
		return nil, core.Errorf(core.CodeUnavailable, "the transaction has ended")
	}
	return tx.state, nil
}

func (tx *storeTx) change(ctx context.Context, do func(*storeState) error) error {
	if _, err := tx.view(ctx); err != nil {
		return err
	}
	return do(tx.state)
}

func storeTables(session storeSession) storage.Tables {
	return storage.Tables{
		Users:       storeUsers{usersOf(session)},
		Workspaces:  storeWorkspaces{workspacesOf(session)},
		Folders:     storeFolders{foldersOf(session)},
		Projects:    storeProjects{projectsOf(session)},
		Files:       storeFiles{session},
		Edits:       storeEdits{session},
		Chats:       storeChats{chatsOf(session)},
		Events:      storeEvents{session},
		Runs:        storeRuns{runsOf(session)},
		Attachments: storeAttachments{session},
		Providers:   storeProviders{providersOf(session)},
		Usage:       storeUsage{session},
		Deployments: storeDeployments{deploymentsOf(session)},
		Thumbnails:  storeThumbnails{session},
		Environment: storeEnvironment{session},
		Domains:     storeDomains{domainsOf(session)},
		Rooms:       storeRooms{session},
		FormerRooms: storeFormerRooms{session},
		SlugHolds:   storeSlugHolds{session},

		Identities:    storeIdentities{session},
		Tickets:       storeTickets{session},
		Sessions:      storeSessions{sessionsOf(session)},
		APITokens:     storeTokens{tokensOf(session)},
		Subscriptions: storeSubscriptions{subscriptionsOf(session)},
		Members:       storeMembers{session},
		Invites:       storeInvites{invitesOf(session)},

		Modes: storeModes{modesOf(session)},
		Mails: storeMails{mailsOf(session)},
		Audit: storeAudit{auditOf(session)},
	}
}
