package instance

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Environment is the part of the environment's settings about the installation.
type Environment struct {
	// Signup fixes the policy; "" leaves it to the admins, who begin with Preset.
	Signup, Preset core.SignupPolicy
	// SignupDomains fixes the domains; none leaves them to the admins.
	SignupDomains []string
	// CreditLimit fixes the limit, if it is not nil.
	CreditLimit *float64
	// Quotas are those of workspaces, with those that the admins cannot change.
	Quotas core.Quotas
	// Mail says that mails reach people.
	Mail bool
	// PasswordSignIn fixes whether people may sign in with passwords, if it is not nil.
	PasswordSignIn *bool
	// Providers are those with which people sign in beside their companies'.
	Providers []core.IdentityProvider
}

// signup returns the policy in force and its domains.
func (e Environment) signup(decided core.InstanceSettings) (core.SignupPolicy, []string) {
	policy, domains := e.Signup, e.SignupDomains
	if policy == "" {
		policy = decided.Signup
	}
	if policy == "" {
		policy = e.Preset
	}
	if len(domains) == 0 {
		domains = decided.SignupDomains
	}
	return policy, domains
}

// creditLimit returns the limit in force.
func (e Environment) creditLimit(decided core.InstanceSettings) *float64 {
	if e.CreditLimit != nil {
		return e.CreditLimit
	}
	return decided.CreditLimit
}

// Doors decides who gets an account. Many goroutines may use it.
type Doors struct {
	store storage.Store
	gate  *access.Gate
	env   Environment
	now   func() time.Time
}

// NewDoors returns the doors of the installation.
func NewDoors(store storage.Store, gate *access.Gate, env Environment, now func() time.Time) *Doors {
	return &Doors{store, gate, env, now}
}

// Newcomer is somebody who wants an account.
type Newcomer struct {
	// Email is a normal address.
	Email string
	// Secret is that of an invitation, "" without one.
	Secret string
	// Proven says that a provider verified the address, so that an invitation to it needs no
	// secret.
	Proven bool
	// Company says that a company provider of the installation vouches for the newcomer, who
	// then needs no invitation, unless sign-up is closed.
	Company bool
	// Password says that the newcomer chose a password.
	Password bool
}

// Admission is the start of a newcomer's account.
type Admission struct {
	// Admin says that the account is the first.
	Admin bool
	// Verified says that the newcomer has the secret of a mail to the address.
	Verified bool
	// CreditLimit is that of the personal workspace, in USD; nil is unlimited.
	CreditLimit *float64
	// spent is the invitation that is used up.
	spent core.ID
	// barred says that there is an invitation, from somebody whose invitations open no door.
	barred bool
}

// Check returns the error of Admit for a newcomer whom it would refuse now.
func (d *Doors) Check(ctx context.Context, who Newcomer) error {
	_, err := d.admission(ctx, d.store.Tables(), who)
	return err
}

// Admit admits a newcomer in the transaction that creates the account, and uses up an invitation
// to the installation. It returns core.CodeSignupClosed, whether the address has an account or not,
// and core.CodePasswordSignInOff.
func (d *Doors) Admit(ctx context.Context, tables storage.Tables, who Newcomer) (Admission, error) {
	admission, err := d.admission(ctx, tables, who)
	if err == nil && admission.spent != "" {
		err = tables.InstanceInvites.Delete(ctx, admission.spent)
	}
	return admission, err
}

func (d *Doors) admission(ctx context.Context, tables storage.Tables, who Newcomer) (Admission, error) {
	decided, err := tables.InstanceSettings.Get(ctx)
	if err != nil {
		return Admission{}, err
	}
	admission := Admission{CreditLimit: d.env.creditLimit(decided)}
	settled, err := tables.Users.Any(ctx)
	if err != nil {
		return Admission{}, err
	}
	if !settled {
		admission.Admin = true
		return admission, nil
	}
	if who.Password && !d.env.passwords(decided) {
		return Admission{}, d.noPasswords(ctx, tables)
	}
	invited, err := d.invited(ctx, tables, decided, who, &admission)
	if err != nil {
		return Admission{}, err
	}
	policy, domains := d.env.signup(decided)
	if invited || who.Company && policy != core.SignupClosed || policy == core.SignupOpen || policy == core.SignupDomains && slices.Contains(domains, core.EmailDomain(who.Email)) {
		return admission, nil
	}
	return Admission{}, refusal(policy, domains, admission.barred)
}

// refusal says why sign-up is closed, and what to do.
func refusal(policy core.SignupPolicy, domains []string, barred bool) error {
	if barred {
		return core.Errorf(core.CodeSignupClosed, "whoever invited you may not let people in here: their own address is not verified, or is not of this place. Ask them to verify it, or ask the people who run this service for an invitation")
	}
	if policy == core.SignupDomains {
		return core.Errorf(core.CodeSignupClosed, "only people with an address at %s may sign up here, and people with an invitation", strings.Join(domains, ", "))
	}
	return core.Errorf(core.CodeSignupClosed, "only people with an invitation may sign up here: ask the people who run it for one")
}

// invited reports whether the newcomer has an invitation, to the installation or to a workspace.
func (d *Doors) invited(ctx context.Context, tables storage.Tables, decided core.InstanceSettings, who Newcomer, admission *Admission) (bool, error) {
	hash := core.HashSecret(who.Secret)
	invite, err := tables.InstanceInvites.ByEmail(ctx, who.Email)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return false, err
	}
	if opens := who.Proven || who.Secret != "" && (invite.TokenHash == hash || invite.LinkHash == hash); err == nil && opens {
		sender, valid, err := d.valid(ctx, tables, invite)
		if err != nil {
			return false, err
		}
		if valid {
			admission.Verified, admission.spent = invite.TokenHash == hash, invite.ID
		}
		if valid && d.opensDoors(decided, sender) {
			return true, nil
		}
		admission.barred = valid
	}
	joins, err := tables.Invites.List(ctx, storage.InviteFilter{Email: who.Email})
	if err != nil {
		return false, err
	}
	for _, join := range joins {
		opens := who.Proven || who.Secret != "" && (join.TokenHash == hash || join.LinkHash != nil && *join.LinkHash == hash)
		if !opens {
			continue
		}
		sender, valid, err := d.joins(ctx, tables, join)
		if err != nil {
			return false, err
		}
		if !valid {
			continue
		}
		admission.Verified = admission.Verified || join.TokenHash == hash
		if d.opensDoors(decided, sender) {
			return true, nil
		}
		admission.barred = true
	}
	return false, nil
}

// valid returns the sender of an invitation to the installation, and whether it has not expired and
// its sender may still send it.
func (d *Doors) valid(ctx context.Context, tables storage.Tables, invite core.InstanceInvite) (core.User, bool, error) {
	sender, err := tables.Users.ByID(ctx, invite.InvitedBy)
	if core.IsCode(err, core.CodeNotFound) {
		return core.User{}, false, nil
	}
	return sender, invite.ExpiresAt > core.At(d.now()) && d.gate.InstanceRole(sender) == core.InstanceAdmin, err
}

// joins is valid for an invitation to a workspace.
func (d *Doors) joins(ctx context.Context, tables storage.Tables, invite core.Invite) (core.User, bool, error) {
	sender, err := tables.Users.ByID(ctx, invite.InvitedBy)
	if core.IsCode(err, core.CodeNotFound) {
		return core.User{}, false, nil
	}
	if err != nil {
		return core.User{}, false, err
	}
	role, err := tables.Workspaces.Role(ctx, invite.WorkspaceID, sender.ID)
	allowed := role.AtLeast(core.RuleOf(core.ActionInvite).Role) && role.AtLeast(invite.Role)
	return sender, allowed && sender.DisabledAt == 0 && invite.ExpiresAt > core.At(d.now()), err
}

// Signup is the public part of the policy.
type Signup struct {
	Policy  core.SignupPolicy `json:"policy"`
	Domains []string          `json:"domains"`
	// Passwords says that people may use passwords.
	Passwords bool `json:"passwords"`
}

// Signup returns the policy in force.
func (d *Doors) Signup(ctx context.Context) (Signup, error) {
	decided, err := d.store.Tables().InstanceSettings.Get(ctx)
	if err != nil {
		return Signup{}, err
	}
	policy, domains := d.env.signup(decided)
	if policy != core.SignupDomains {
		domains = nil
	}
	return Signup{policy, append([]string{}, domains...), d.env.passwords(decided)}, nil
}
