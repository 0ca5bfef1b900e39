package instance

import (
	"context"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// requiresProof reports whether people must prove their address before they do anything else: where
// the admins say so, and where addresses at domains let people in, because anybody can type one.
func (e Environment) requiresProof(decided core.InstanceSettings) bool {
	policy, _ := e.signup(decided)
	return decided.RequireVerifiedEmail || policy == core.SignupDomains
}

// RequiresProof reports whether people may only use their account until they prove its address.
func (d *Doors) RequiresProof(decided core.InstanceSettings) bool {
	return d.env.requiresProof(decided)
}

// LacksProof reports whether the installation requires a proven address that a person does not
// have. It makes no query for a person whose address is proven.
func (d *Doors) LacksProof(ctx context.Context, tables storage.Tables, person core.User) (bool, error) {
	if person.EmailVerified {
		return false, nil
	}
	decided, err := tables.InstanceSettings.Get(ctx)
	return d.env.requiresProof(decided), err
}

// CheckMove returns core.CodeSignupClosed for an address that an account may not change to. Its owner
// is in already; but where addresses let people in, a new one has to as a newcomer's does. An
// invitation to it needs no secret, because its owner has to prove it.
func (d *Doors) CheckMove(ctx context.Context, tables storage.Tables, email string) error {
	decided, err := tables.InstanceSettings.Get(ctx)
	if err != nil {
		return err
	}
	policy, domains := d.env.signup(decided)
	if policy != core.SignupDomains {
		return nil
	}
	_, err = d.admission(ctx, tables, Newcomer{Email: email, Proven: true})
	if core.IsCode(err, core.CodeSignupClosed) {
		return core.Errorf(core.CodeSignupClosed, "email must be an address at %s here, or one with an invitation", strings.Join(domains, ", "))
	}
	return err
}

// opensDoors reports whether a person's invitations admit people whom the policy keeps out. Under
// domains and closed, and wherever people must prove their address, the person must have proven
// theirs, and under domains it must be at one of them, unless they administer the installation.
func (d *Doors) opensDoors(decided core.InstanceSettings, sender core.User) bool {
	policy, domains := d.env.signup(decided)
	if policy != core.SignupClosed && !d.env.requiresProof(decided) {
		return true
	}
	home := policy != core.SignupDomains || slices.Contains(domains, core.EmailDomain(sender.Email)) || d.gate.InstanceRole(sender) == core.InstanceAdmin
	return sender.EmailVerified && home
}

// passwords reports whether people may sign in with passwords.
func (e Environment) passwords(decided core.InstanceSettings) bool {
	if e.PasswordSignIn != nil {
		return *e.PasswordSignIn
	}
	return !decided.NoPasswords
}

// CheckPasswords returns core.CodePasswordSignInOff, with the other ways in, while people may not
// sign in with passwords.
func (d *Doors) CheckPasswords(ctx context.Context, tables storage.Tables) error {
	decided, err := tables.InstanceSettings.Get(ctx)
	if err != nil || d.env.passwords(decided) {
		return err
	}
	return d.noPasswords(ctx, tables)
}

// noPasswords is the error of a password, and names the other ways in.
func (d *Doors) noPasswords(ctx context.Context, tables storage.Tables) error {
	companies, err := tables.CompanyProviders.List(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, company := range companies {
		names = append(names, company.Name)
	}
	for _, provider := range d.env.Providers {
		names = append(names, providerNames[provider])
	}
	if len(names) == 0 {
		return core.Errorf(core.CodePasswordSignInOff, "passwords are turned off here: sign in with a passkey")
	}
	return core.Errorf(core.CodePasswordSignInOff, "passwords are turned off here: sign in with %s, or with a passkey", strings.Join(names, ", "))
}

var providerNames = map[core.IdentityProvider]string{core.IdentityGitHub: "GitHub", core.IdentityGoogle: "Google"}

// checkSignIn returns core.CodeConflict for policies that would lock out the admin who
// decides.
func (s *Settings) checkSignIn(ctx context.Context, tables storage.Tables, by core.Actor, change Change) error {
	if change.RequireMFA != nil && *change.RequireMFA {
		if err := access.CheckOwnFactor(ctx, tables, by); err != nil {
			return err
		}
	}
	if change.RequireVerifiedEmail != nil && *change.RequireVerifiedEmail || change.Signup != nil && *change.Signup == core.SignupDomains {
		admin, err := tables.Users.ByID(ctx, by.UserID)
		if err != nil {
			return err
		}
		if !admin.EmailVerified {
			return core.Errorf(core.CodeConflict, "verify your own e-mail address before you require it of everybody, as requireVerifiedEmail and signup: domains do")
		}
	}
	if change.PasswordSignIn != nil && !*change.PasswordSignIn {
		return s.env.checkOwnWay(ctx, tables, by.UserID)
	}
	return nil
}

// checkOwnWay returns core.CodeConflict to an admin who could not sign in again without a password.
func (e Environment) checkOwnWay(ctx context.Context, tables storage.Tables, admin core.ID) error {
	passkeys, err := tables.Passkeys.OfUser(ctx, admin)
	if err != nil || len(passkeys) > 0 {
		return err
	}
	linked, err := tables.Identities.OfUser(ctx, admin)
	if err != nil {
		return err
	}
	companies, err := tables.CompanyProviders.List(ctx)
	if err != nil {
		return err
	}
	works := func(identity core.Identity) bool {
		return slices.Contains(e.Providers, identity.Provider) || slices.ContainsFunc(companies, func(company core.CompanyProvider) bool {
			return company.Identity() == identity.Provider
		})
	}
	if slices.ContainsFunc(linked, works) {
		return nil
	}
	return core.Errorf(core.CodeConflict, "add a passkey to your account, or sign in once with one of the identity providers, before you turn passwords off: otherwise you could not sign in again")
}
