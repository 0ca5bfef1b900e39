package instance

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// People has the use cases around the accounts of the installation. Many goroutines may use it.
type People struct {
	PeopleDeps
}

// PeopleDeps are the dependencies of People.
type PeopleDeps struct {
	Store      storage.Store
	Gate       *access.Gate
	Audit      *audit.Log
	Mail       *mailer.Queue
	Departures *Departures
	Now        func() time.Time
}

// NewPeople returns the use cases.
func NewPeople(deps PeopleDeps) *People {
	return &People{deps}
}

// Account is an account as admins see it.
type Account struct {
	core.User
	// Admin says that the person is an admin of the installation, Named that the settings make
	// them one.
	Admin bool `json:"admin"`
	Named bool `json:"named"`
	// DisabledAt is nil for an account that is enabled, LastSeenAt for one without a session.
	DisabledAt *core.Time `json:"disabledAt"`
	LastSeenAt *core.Time `json:"lastSeenAt"`
	Workspaces int        `json:"workspaces"`
	// MFA says that the person's sign-ins take a second factor.
	MFA bool `json:"mfa"`
}

func (p *People) account(person core.Person) Account {
	return Account{
		User: person.User, Admin: p.Gate.InstanceRole(person.User) == core.InstanceAdmin, Named: p.Gate.IsNamed(person.User),
		DisabledAt: orNil(person.DisabledAt), LastSeenAt: orNil(person.LastSeenAt), Workspaces: person.Workspaces,
		MFA: person.SecondFactor,
	}
}

func orNil(at core.Time) *core.Time {
	if at == 0 {
		return nil
	}
	return &at
}

// List returns a page of the accounts whose address or name contains a text, newest first.
func (p *People) List(ctx context.Context, by core.Actor, query string, page core.Page) ([]Account, error) {
	if _, err := p.Gate.Instance(ctx, by, core.ActionInstancePeople); err != nil {
		return nil, err
	}
	found, err := p.Store.Tables().Roster.List(ctx, query, page)
	accounts := make([]Account, len(found))
	for i, person := range found {
		accounts[i] = p.account(person)
	}
	return accounts, err
}

// PersonChange changes an account. A nil field stays.
type PersonChange struct{ Disabled, Admin *bool }

// Update changes an account. A disabled one keeps what it has, but nobody can use it: its sessions
// end, its API tokens are refused, and so are its sign-ins. It returns core.CodeConflict if nobody
// would be an admin any more, and for the role of somebody whom the settings name.
func (p *People) Update(ctx context.Context, by core.Actor, id core.ID, change PersonChange) (Account, error) {
	var account Account
	err := p.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := p.Gate.InstanceIn(ctx, tables, by, core.ActionInstancePeople); err != nil {
			return err
		}
		var actions []core.AuditAction
		user, err := tables.Users.Update(ctx, id, func(user *core.User) error {
			actions = nil
			if wanted := change.Disabled; wanted != nil && *wanted != (user.DisabledAt != 0) {
				actions = append(actions, p.disable(user, *wanted))
			}
			if wanted := change.Admin; wanted != nil && *wanted != user.Admin {
				if !*wanted && p.Gate.IsNamed(*user) {
					return core.Errorf(core.CodeConflict, "ADMIN_EMAILS in the environment of the service names this person")
				}
				action := core.AuditAdminRemoved
				if user.Admin = *wanted; user.Admin {
					action = core.AuditAdminAdded
				}
				actions = append(actions, action)
			}
			return nil
		})
		if err != nil {
			return err
		}
		factor, err := tables.Factors.Of(ctx, id)
		if err != nil && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
		account = p.account(core.Person{User: user, SecondFactor: factor.On()})
		return p.settle(ctx, tables, by, user, actions)
	})
	return account, err
}

func (p *People) disable(user *core.User, wanted bool) core.AuditAction {
	if !wanted {
		user.DisabledAt = 0
		return core.AuditPersonEnabled
	}
	user.DisabledAt = core.At(p.Now())
	user.CredentialVersion++
	return core.AuditPersonDisabled
}

// settle ends what a change ends, and records it in the logs of the installation and the person.
func (p *People) settle(ctx context.Context, tables storage.Tables, by core.Actor, user core.User, actions []core.AuditAction) error {
	for _, action := range actions {
		if action == core.AuditPersonDisabled || action == core.AuditPersonSignedOut {
			if err := tables.Sessions.DeleteOf(ctx, user.ID); err != nil {
				return err
			}
		}
		if err := p.Audit.RecordInstance(ctx, tables, by, action, user.Email); err != nil {
			return err
		}
		if err := p.Audit.RecordPerson(ctx, tables, by, user.ID, action, user.Email); err != nil {
			return err
		}
	}
	return p.Gate.CheckAdmins(ctx, tables)
}

// SignOut ends all sessions of a person.
func (p *People) SignOut(ctx context.Context, by core.Actor, id core.ID) error {
	return p.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := p.Gate.InstanceIn(ctx, tables, by, core.ActionInstancePeople); err != nil {
			return err
		}
		user, err := tables.Users.Update(ctx, id, func(user *core.User) error {
			user.CredentialVersion++
			return nil
		})
		if err != nil {
			return err
		}
		return p.settle(ctx, tables, by, user, []core.AuditAction{core.AuditPersonSignedOut})
	})
}

// ResetFactor takes away the second factor of a person who lost it, with all passkeys, and mails
// them. Their
// sessions go on. It returns core.CodeConflict for somebody who has none, and for the caller's
// own, which only a proof turns off, and core.CodeNotFound.
func (p *People) ResetFactor(ctx context.Context, by core.Actor, id core.ID) error {
	err := p.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := p.Gate.InstanceIn(ctx, tables, by, core.ActionInstancePeople); err != nil {
			return err
		}
		if id == by.UserID {
			return core.Errorf(core.CodeConflict, "turn off your own two-step verification in your account settings")
		}
		user, err := tables.Users.ByID(ctx, id)
		if err != nil {
			return err
		}
		factor, err := tables.Factors.Of(ctx, id)
		if core.IsCode(err, core.CodeNotFound) || err == nil && !factor.On() {
			return core.Errorf(core.CodeConflict, "this person has no two-step verification")
		}
		if err != nil {
			return err
		}
		err = errors.Join(tables.Factors.DeleteOf(ctx, id), tables.Passkeys.DeleteOf(ctx, id), tables.Tickets.DeleteOf(ctx, id, core.TicketSecondFactor), access.MovePreviews(ctx, tables, id))
		if err != nil {
			return err
		}
		if err := p.Mail.Notify(ctx, tables, user, mailer.Notice{Kind: mailer.NoticeFactorReset}); err != nil {
			return err
		}
		return p.settle(ctx, tables, by, user, []core.AuditAction{core.AuditFactorReset})
	})
	if err == nil {
		p.Mail.Wake()
	}
	return err
}

// Delete deletes an account, as Departures.Delete does. It returns core.CodeConflict for the last
// admin, and while the person is the last owner of a workspace that others belong to.
func (p *People) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	return p.Departures.Run(ctx, by, func(ctx context.Context, tables storage.Tables) (core.User, error) {
		if _, err := p.Gate.InstanceIn(ctx, tables, by, core.ActionInstancePeople); err != nil {
			return core.User{}, err
		}
		return tables.Users.ByID(ctx, id)
	})
}
