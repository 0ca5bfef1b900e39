package instance

import (
	"context"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// LacksEmail reports whether the installation requires a verified address that a person does not
// have. It makes no query for a person whose address is verified.
func LacksEmail(ctx context.Context, tables storage.Tables, person core.User) (bool, error) {
	if person.EmailVerified {
		return false, nil
	}
	decided, err := tables.InstanceSettings.Get(ctx)
	return decided.RequireVerifiedEmail, err
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
	if change.RequireVerifiedEmail != nil && *change.RequireVerifiedEmail {
		admin, err := tables.Users.ByID(ctx, by.UserID)
		if err != nil {
			return err
		}
		if !admin.EmailVerified {
			return core.Errorf(core.CodeConflict, "verify your own e-mail address before you require it of everybody")
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
