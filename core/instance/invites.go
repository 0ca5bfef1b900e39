package instance

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	inviteTTL = 7 * 24 * time.Hour
	// maxInvites bounds the invitations to the installation that are not answered.
	maxInvites = 1000
)

// InviteDeps are the dependencies of the use cases around invitations.
type InviteDeps struct {
	Store storage.Store
	Gate  *access.Gate
	Audit *audit.Log
	Mail  *mailer.Queue
	Env   Environment
	Now   func() time.Time
}

// Invites has the use cases around invitations to the installation. Many goroutines may use it.
type Invites struct{ InviteDeps }

// NewInvites returns the use cases.
func NewInvites(deps InviteDeps) *Invites { return &Invites{deps} }

// List returns the invitations, the oldest first.
func (i *Invites) List(ctx context.Context, by core.Actor) ([]core.InstanceInvite, error) {
	if _, err := i.Gate.Instance(ctx, by, core.ActionInstanceInvite); err != nil {
		return nil, err
	}
	return i.Store.Tables().InstanceInvites.List(ctx)
}

// Create invites the owner of an address to create an account. It mails a link that works once,
// for seven days, and returns the secret of another link, which the caller may pass on. An earlier
// invitation to the address becomes invalid.
//
// It returns core.CodeValidationFailed for an invalid address, core.CodeConflict for one with an
// account, while sign-up is closed, and beyond maxInvites, and core.CodeRateLimited beyond the
// invitations of a day, which package mailer bounds.
func (i *Invites) Create(ctx context.Context, by core.Actor, address string) (core.InstanceInvite, string, error) {
	email, err := core.NormalEmail(address)
	if err != nil {
		return core.InstanceInvite{}, "", err
	}
	secret, link, now := core.NewSecret(), core.NewSecret(), core.At(i.Now())
	invite := core.InstanceInvite{
		ID: core.NewID(), Email: email, InvitedBy: by.UserID, CreatedAt: now, ExpiresAt: now.Add(inviteTTL),
		TokenHash: core.HashSecret(secret), LinkHash: core.HashSecret(link),
	}
	err = i.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		sender, err := i.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceInvite)
		if err != nil {
			return err
		}
		if err := i.check(ctx, tables, email); err != nil {
			return err
		}
		if err := tables.InstanceInvites.Create(ctx, invite); err != nil {
			return err
		}
		if err := i.Mail.CheckInstanceInvite(ctx, tables, sender); err != nil {
			return err
		}
		if err := i.Mail.InstanceInvite(ctx, tables, letterOf(sender, invite, secret)); err != nil {
			return err
		}
		return i.Audit.RecordInstance(ctx, tables, by, core.AuditInstanceInvited, email)
	})
	if err != nil {
		return core.InstanceInvite{}, "", err
	}
	i.Mail.Wake()
	return invite, link, nil
}

// letterOf names the sender only if their address is verified. It is in the sender's language,
// because the invited person has no account.
func letterOf(sender core.User, invite core.InstanceInvite, secret string) mailer.Invitation {
	letter := mailer.Invitation{To: invite.Email, Token: secret, ExpiresAt: invite.ExpiresAt, Language: sender.Language}
	if sender.EmailVerified {
		letter.Sender = sender.Email
		if sender.DisplayName != nil {
			letter.InvitedBy = *sender.DisplayName
		}
	}
	return letter
}

func (i *Invites) check(ctx context.Context, tables storage.Tables, email string) error {
	decided, err := tables.InstanceSettings.Get(ctx)
	if err != nil {
		return err
	}
	if policy, _ := i.Env.signup(decided); policy == core.SignupClosed {
		return core.Errorf(core.CodeConflict, "sign-up is closed: let people sign up by invitation first")
	}
	_, err = tables.Users.ByEmail(ctx, email)
	if err == nil {
		return core.Errorf(core.CodeConflict, "%s already has an account", email)
	}
	if !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	open, err := tables.InstanceInvites.List(ctx)
	if err == nil && len(open) >= maxInvites {
		return core.Errorf(core.CodeConflict, "%d people are already invited: delete invitations first", maxInvites)
	}
	return err
}

// Delete deletes an invitation. Its links become invalid.
func (i *Invites) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	return i.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := i.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceInvite); err != nil {
			return err
		}
		invite, err := tables.InstanceInvites.ByID(ctx, id)
		if err != nil {
			return err
		}
		if err := tables.InstanceInvites.Delete(ctx, id); err != nil {
			return err
		}
		return i.Audit.RecordInstance(ctx, tables, by, core.AuditInstanceUninvited, invite.Email)
	})
}
