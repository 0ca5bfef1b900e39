package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// InstanceSettings keeps what the admins of the installation decided. It is one record, which
// always exists.
type InstanceSettings interface {
	// Get returns the settings, the zero value before the first change.
	Get(ctx context.Context) (core.InstanceSettings, error)
	// Update works like Users.Update.
	Update(ctx context.Context, change func(*core.InstanceSettings) error) (core.InstanceSettings, error)
}

// LastBackup keeps the latest try to make a backup. It is one record, which always exists.
type LastBackup interface {
	// Get returns the try, the zero value before the first.
	Get(ctx context.Context) (core.BackupRun, error)
	// Update works like Users.Update.
	Update(ctx context.Context, change func(*core.BackupRun) error) (core.BackupRun, error)
}

// InstanceInvites are the invitations to the installation.
type InstanceInvites interface {
	// Create stores an invitation. It deletes the earlier one to the same address. A hash in use
	// has code core.CodeConflict.
	Create(ctx context.Context, invite core.InstanceInvite) error
	ByID(ctx context.Context, id core.ID) (core.InstanceInvite, error)
	// ByHash finds an invitation by the hash of either of its secrets.
	ByHash(ctx context.Context, hash string) (core.InstanceInvite, error)
	// ByEmail finds the invitation to a normal address.
	ByEmail(ctx context.Context, email string) (core.InstanceInvite, error)
	// List returns all invitations, the oldest first, including expired ones.
	List(ctx context.Context) ([]core.InstanceInvite, error)
	Delete(ctx context.Context, id core.ID) error
	// Prune removes the invitations that expired before a time.
	Prune(ctx context.Context, before core.Time) error
}

// Roster is all accounts, and all workspaces, together, for the admins of the installation.
type Roster interface {
	// List returns a page of the accounts, the newest first, like Projects.List. A query that is
	// not empty narrows it to those whose address or name contains it, whatever the case of
	// ASCII letters.
	List(ctx context.Context, query string, page core.Page) ([]core.Person, error)
	// Workspaces returns a page of the workspaces, the newest first, like List.
	Workspaces(ctx context.Context, filter WorkspaceFilter, page core.Page) ([]core.WorkspaceUse, error)
	// Admins counts the admins: the accounts whose core.User.InstanceRole is core.InstanceAdmin.
	Admins(ctx context.Context, named core.AdminEmails) (int, error)
}

// WorkspaceFilter narrows a list of workspaces; an empty field does not.
type WorkspaceFilter struct {
	ID core.ID
	// Query is a part of the name, the slug or the address of the owner, whatever the case of ASCII
	// letters.
	Query string
}
