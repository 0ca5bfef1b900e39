package audit

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Retention is how long entries are kept.
const Retention = 400 * 24 * time.Hour

// Deps are the dependencies of the log. Its own Log gets the entries that could not be written.
type Deps struct {
	Store storage.Store
	Gate  *access.Gate
	Now   func() time.Time
	Log   *slog.Logger
}

// Log is the security log. Many goroutines may use it.
type Log struct {
	deps Deps
	// semaphore bounds the entries that are written after their answer; writing
	// waits for them.
	semaphore chan struct{}
	writing   sync.WaitGroup
}

// New returns the log of the workspaces in store.
func New(deps Deps) *Log {
	return &Log{deps: deps, semaphore: make(chan struct{}, maxPending)}
}

// Record writes an entry to a workspace's log, in the transaction of the action
// itself. target is cut to core.MaxAuditTargetChars.
func (l *Log) Record(ctx context.Context, tables storage.Tables, by core.Actor, workspace core.ID, action core.AuditAction, target string) error {
	return l.record(ctx, tables, by, core.AuditEntry{WorkspaceID: workspace, Action: action, Target: target})
}

// RecordPerson writes an event of a person's account to the person's log, which their
// workspaces do not see.
func (l *Log) RecordPerson(ctx context.Context, tables storage.Tables, by core.Actor, person core.ID, action core.AuditAction, target string) error {
	return l.record(ctx, tables, by, core.AuditEntry{PersonID: person, Action: action, Target: target})
}

// RecordInstance writes an event of the installation to the log that its admins read.
func (l *Log) RecordInstance(ctx context.Context, tables storage.Tables, by core.Actor, action core.AuditAction, target string) error {
	return l.record(ctx, tables, by, core.AuditEntry{Action: action, Target: target})
}

func (l *Log) record(ctx context.Context, tables storage.Tables, by core.Actor, entry core.AuditEntry) error {
	actor, err := actorOf(ctx, tables, by)
	if err != nil {
		return err
	}
	entry.ID, entry.Actor, entry.Target, entry.IP, entry.CreatedAt = core.NewID(), actor, core.ShortenChars(entry.Target, core.MaxAuditTargetChars), by.IP, core.At(l.deps.Now())
	return tables.Audit.Append(ctx, []core.AuditEntry{entry})
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

// List returns a page of a workspace's log to its admins, newest first.
func (l *Log) List(ctx context.Context, by core.Actor, workspace core.ID, page core.Page) ([]core.AuditEntry, error) {
	if _, _, err := l.deps.Gate.Workspace(ctx, by, core.ActionAuditRead, workspace); err != nil {
		return nil, err
	}
	return l.deps.Store.Tables().Audit.List(ctx, workspace, page)
}

// Own returns a page of the caller's own log, newest first. It returns
// core.CodeInsufficientScope to a caller with an API token.
func (l *Log) Own(ctx context.Context, by core.Actor, page core.Page) ([]core.AuditEntry, error) {
	if err := core.RuleOf(core.ActionAccount).Authorize(by, core.Standing{}); err != nil {
		return nil, err
	}
	return l.deps.Store.Tables().Audit.OfPerson(ctx, by.UserID, page)
}

// Instance returns a page of the installation's log to its admins, newest first.
func (l *Log) Instance(ctx context.Context, by core.Actor, page core.Page) ([]core.AuditEntry, error) {
	if _, err := l.deps.Gate.Instance(ctx, by, core.ActionInstanceAudit); err != nil {
		return nil, err
	}
	return l.deps.Store.Tables().Audit.OfInstance(ctx, page)
}

// Prune removes the entries that are older than Retention.
func (l *Log) Prune(ctx context.Context) error {
	return l.deps.Store.Tables().Audit.Prune(ctx, core.At(l.deps.Now()).Add(-Retention))
}
