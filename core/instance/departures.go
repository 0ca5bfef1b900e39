package instance

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// Estate is people's property in workspaces; workspaces.Members implements it.
type Estate interface {
	// LeaveAll takes a person out of all workspaces, and condemns those to which nobody else
	// belongs. It returns core.CodeConflict, which names the workspaces, if others would be left
	// without an owner. announce is to be called after the transaction.
	LeaveAll(ctx context.Context, tables storage.Tables, by core.Actor, person core.ID) (announce func(context.Context), err error)
}

// DepartureDeps are the dependencies of Departures.
type DepartureDeps struct {
	Store  storage.Store
	Gate   *access.Gate
	Audit  *audit.Log
	Mail   *mailer.Queue
	Estate Estate
}

// Departures deletes accounts. Many goroutines may use it.
//
// One transaction takes the person out of all workspaces, condemns what was theirs alone, and
// deletes the account with everything that lets somebody use it: of two owners who leave at once,
// one stays. Files go afterwards, and a crash only delays that.
//
// What the person made in workspaces of others stays, and names a person who is not there any more.
// So do the entries of audit logs, with the address, for audit.Retention.
type Departures struct{ DepartureDeps }

// NewDepartures returns the use cases.
func NewDepartures(deps DepartureDeps) *Departures { return &Departures{deps} }

// Run deletes the account that find returns, in the same transaction; find checks whether by may do
// it. A mail tells the person.
//
// It returns core.CodeConflict for the last admin of the installation, and while others belong to a
// workspace of which the person is the last owner, or to their personal one.
func (d *Departures) Run(ctx context.Context, by core.Actor, find func(context.Context, storage.Tables) (core.User, error)) error {
	var announce func(context.Context)
	err := d.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		user, err := find(ctx, tables)
		if err != nil {
			return err
		}
		if announce, err = d.Estate.LeaveAll(ctx, tables, by, user.ID); err != nil {
			return err
		}
		if err := d.uninvite(ctx, tables, user.ID); err != nil {
			return err
		}
		if err := d.tell(ctx, tables, by, user); err != nil {
			return err
		}
		if err := tables.Users.Delete(ctx, user.ID); err != nil {
			return err
		}
		return d.Gate.CheckAdmins(ctx, tables)
	})
	if err == nil {
		d.Mail.Wake()
		announce(ctx)
	}
	return err
}

// uninvite deletes the invitations to the installation that a person sent.
func (d *Departures) uninvite(ctx context.Context, tables storage.Tables, person core.ID) error {
	invites, err := tables.InstanceInvites.List(ctx)
	if err != nil {
		return err
	}
	for _, invite := range invites {
		if invite.InvitedBy != person {
			continue
		}
		if err := tables.InstanceInvites.Delete(ctx, invite.ID); err != nil {
			return err
		}
	}
	return nil
}

// tell mails the person and writes to the logs, which only name people who exist: so it comes before the
// deletion. The mail does not say from where an admin called.
func (d *Departures) tell(ctx context.Context, tables storage.Tables, by core.Actor, user core.User) error {
	notice := mailer.Notice{Kind: mailer.NoticeAccountRemoved}
	if by.UserID == user.ID {
		notice = mailer.Notice{Kind: mailer.NoticeAccountDeleted, Address: by.IP}
	}
	if err := d.Mail.Notify(ctx, tables, user, notice); err != nil {
		return err
	}
	if err := d.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditAccountDeleted, user.Email); err != nil {
		return err
	}
	return d.Audit.RecordInstance(ctx, tables, by, core.AuditPersonDeleted, user.Email)
}
