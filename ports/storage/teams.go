package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Modes are the agent's modes that workspaces defined.
type Modes interface {
	// Create stores a mode. A name in use in the workspace has code
	// core.CodeConflict.
	Create(ctx context.Context, mode core.Mode) error
	ByName(ctx context.Context, workspace core.ID, name string) (core.Mode, error)
	// List returns a workspace's modes by name, byte by byte.
	List(ctx context.Context, workspace core.ID) ([]core.Mode, error)
	// Update works like Users.Update. A name in use has code core.CodeConflict. ID,
	// WorkspaceID and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Mode) error) (core.Mode, error)
	Delete(ctx context.Context, id core.ID) error
}

// Commands are the commands of the chat that workspaces defined.
type Commands interface {
	// Create stores a command. A name in use in the workspace has code core.CodeConflict.
	Create(ctx context.Context, command core.Command) error
	ByName(ctx context.Context, workspace core.ID, name string) (core.Command, error)
	// List returns a workspace's commands by name, byte by byte.
	List(ctx context.Context, workspace core.ID) ([]core.Command, error)
	// Update works like Users.Update. A name in use has code core.CodeConflict. ID,
	// WorkspaceID and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Command) error) (core.Command, error)
	Delete(ctx context.Context, id core.ID) error
}

// Mails is the durable queue of mails.
type Mails interface {
	Create(ctx context.Context, job core.MailJob) error
	// Claim takes a lease on the job that has been due longest at now: it sets DueAt to
	// until, so that nobody else gets it before then, and increments Attempts. It
	// returns core.CodeNotFound if none is due. No two callers get the same job.
	Claim(ctx context.Context, now, until core.Time) (core.MailJob, error)
	// Postpone sets DueAt.
	Postpone(ctx context.Context, id core.ID, due core.Time) error
	// Delete removes a job; it is idempotent.
	Delete(ctx context.Context, id core.ID) error
	// Count counts one more mail of a subject, which is any word, on a day written as
	// 2006-01-02, and returns the new count. Parallel calls are all counted.
	Count(ctx context.Context, subject, day string) (int, error)
	// Counted returns the count of a subject on a day.
	Counted(ctx context.Context, subject, day string) (int, error)
	// Prune removes the counts from before a day.
	Prune(ctx context.Context, day string) error
}

// Audit is the security log of every workspace and every account.
type Audit interface {
	// Append stores entries. It leaves out entries of a workspace that does not exist.
	Append(ctx context.Context, entries []core.AuditEntry) error
	// OfPerson is List for the entries of a person's account.
	OfPerson(ctx context.Context, person core.ID, page core.Page) ([]core.AuditEntry, error)
	// List returns a page of a workspace's entries, newest first, like Projects.List.
	// They outlive the workspace.
	List(ctx context.Context, workspace core.ID, page core.Page) ([]core.AuditEntry, error)
	// OfInstance is List for the entries of the installation: those of no workspace and no person.
	OfInstance(ctx context.Context, page core.Page) ([]core.AuditEntry, error)
	// Prune removes entries from before a time.
	Prune(ctx context.Context, before core.Time) error
}
