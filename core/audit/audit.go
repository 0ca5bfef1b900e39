// Package audit holds the security log of workspaces: who did what that those who
// answer for a workspace want to know of later.
package audit

import (
	"context"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Retention is how long entries are kept.
const Retention = 400 * 24 * time.Hour

// Log is the security log. Many goroutines may use it.
type Log struct {
	store storage.Store
	gate  *access.Gate
	now   func() time.Time
	log   *slog.Logger
	// pending has room for what is written after its answer, writing waits for it.
	pending chan struct{}
	writing sync.WaitGroup
}

// New returns the log of the workspaces in store.
func New(store storage.Store, gate *access.Gate, now func() time.Time, log *slog.Logger) *Log {
	return &Log{store: store, gate: gate, now: now, log: log, pending: make(chan struct{}, maxPending)}
}

// Record writes an entry to a workspace's log, in the transaction of what it
// tells of. target is cut to core.MaxAuditTargetChars.
func (l *Log) Record(ctx context.Context, tables storage.Tables, by core.Actor, workspace core.ID, action core.AuditAction, target string) error {
	return l.record(ctx, tables, by, []core.ID{workspace}, action, target)
}

// RecordPerson writes an event of somebody's account to the log of every
// workspace that the person is in.
func (l *Log) RecordPerson(ctx context.Context, tables storage.Tables, by core.Actor, person core.ID, action core.AuditAction, target string) error {
	spaces, err := tables.Workspaces.OfUser(ctx, person)
	if err != nil {
		return err
	}
	ids := make([]core.ID, len(spaces))
	for i, space := range spaces {
		ids[i] = space.ID
	}
	return l.record(ctx, tables, by, ids, action, target)
}

func (l *Log) record(ctx context.Context, tables storage.Tables, by core.Actor, workspaces []core.ID, action core.AuditAction, target string) error {
	actor, err := actorOf(ctx, tables, by)
	if err != nil {
		return err
	}
	entries := make([]core.AuditEntry, len(workspaces))
	for i, workspace := range workspaces {
		entries[i] = core.AuditEntry{
			ID: core.NewID(), Action: action, Actor: actor, Target: cut(target), IP: by.IP,
			CreatedAt: core.At(l.now()), WorkspaceID: workspace,
		}
	}
	return tables.Audit.Append(ctx, entries)
}

// actorOf names the caller; nil for one who is not signed in.
func actorOf(ctx context.Context, tables storage.Tables, by core.Actor) (*core.AuditActor, error) {
	if by.UserID == "" {
		return nil, nil
	}
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil {
		return nil, err
	}
	return &core.AuditActor{UserID: user.ID, Email: user.Email}, nil
}

func cut(text string) string {
	if utf8.RuneCountInString(text) <= core.MaxAuditTargetChars {
		return text
	}
	return string([]rune(text)[:core.MaxAuditTargetChars-1]) + "…"
}

// List returns a page of a workspace's log to its admins, newest first.
func (l *Log) List(ctx context.Context, by core.Actor, workspace core.ID, page core.Page) ([]core.AuditEntry, error) {
	if _, _, err := l.gate.Workspace(ctx, by, core.ActionAuditRead, workspace); err != nil {
		return nil, err
	}
	return l.store.Tables().Audit.List(ctx, workspace, page)
}

// Prune removes the entries that are older than Retention.
func (l *Log) Prune(ctx context.Context) error {
	return l.store.Tables().Audit.Prune(ctx, core.At(l.now()).Add(-Retention))
}
