package instance

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/storage"
)

// People has the use cases around the accounts of the installation. Many goroutines may use it.
type People struct {
	store storage.Store
	gate  *access.Gate
	audit *audit.Log
	now   func() time.Time
}

// NewPeople returns the use cases.
func NewPeople(store storage.Store, gate *access.Gate, log *audit.Log, now func() time.Time) *People {
	return &People{store, gate, log, now}
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
}

func (p *People) account(person core.Person) Account {
	return Account{
		User: person.User, Admin: p.gate.InstanceRole(person.User) == core.InstanceAdmin, Named: p.gate.IsNamed(person.User),
		DisabledAt: orNil(person.DisabledAt), LastSeenAt: orNil(person.LastSeenAt), Workspaces: person.Workspaces,
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
	if _, err := p.gate.Instance(ctx, by, core.ActionInstancePeople); err != nil {
		return nil, err
	}
	found, err := p.store.Tables().Roster.List(ctx, query, page)
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
	err := p.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := p.gate.InstanceIn(ctx, tables, by, core.ActionInstancePeople); err != nil {
			return err
		}
		var actions []core.AuditAction
		user, err := tables.Users.Update(ctx, id, func(user *core.User) error {
			actions = nil
			if wanted := change.Disabled; wanted != nil && *wanted != (user.DisabledAt != 0) {
				actions = append(actions, p.disable(user, *wanted))
			}
			if wanted := change.Admin; wanted != nil && *wanted != user.Admin {
				if !*wanted && p.gate.IsNamed(*user) {
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
		account = p.account(core.Person{User: user})
		return p.settle(ctx, tables, by, user, actions)
	})
	return account, err
}

func (p *People) disable(user *core.User, wanted bool) core.AuditAction {
	if !wanted {
		user.DisabledAt = 0
		return core.AuditPersonEnabled
	}
	user.DisabledAt = core.At(p.now())
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
		if err := p.audit.RecordInstance(ctx, tables, by, action, user.Email); err != nil {
			return err
		}
		if err := p.audit.RecordPerson(ctx, tables, by, user.ID, action, user.Email); err != nil {
			return err
		}
	}
	return p.gate.CheckAdmins(ctx, tables)
}

// SignOut ends all sessions of a person.
func (p *People) SignOut(ctx context.Context, by core.Actor, id core.ID) error {
	return p.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := p.gate.InstanceIn(ctx, tables, by, core.ActionInstancePeople); err != nil {
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
