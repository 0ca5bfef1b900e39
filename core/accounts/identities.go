package accounts

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// LinkedIdentity shows people an account at a provider with which they sign in.
type LinkedIdentity struct {
	Provider  core.IdentityProvider `json:"provider"`
	CreatedAt core.Time             `json:"createdAt"`
}

// Identities returns the providers with which the caller signs in, the one that was linked
// first at the beginning. A caller with an API token has code core.CodeInsufficientScope.
func (o *OAuthSignIns) Identities(ctx context.Context, by core.Actor) ([]LinkedIdentity, error) {
	if err := ownAccount(by); err != nil {
		return nil, err
	}
	stored, err := o.deps.Store.Tables().Identities.OfUser(ctx, by.UserID)
	if err != nil {
		return nil, err
	}
	linked := []LinkedIdentity{}
	for _, identity := range stored {
		linked = append(linked, LinkedIdentity{identity.Provider, identity.CreatedAt})
	}
	return linked, nil
}

// Unlink removes the caller's identities at a provider. A later sign-in there links the
// account again, if the provider has verified the same address. It returns core.CodeNotFound
// without such an identity, core.CodeConflict if the account has no other provider and no
// password, or while passwords are off no passkey, so that nobody locks themselves out, and core.CodeInsufficientScope to a caller
// with an API token.
func (o *OAuthSignIns) Unlink(ctx context.Context, by core.Actor, provider core.IdentityProvider) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	return o.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := checkSession(ctx, tables, by); err != nil {
			return err
		}
		// The lock of the user's record keeps two calls from removing the last two ways in.
		user, err := tables.Users.Update(ctx, by.UserID, func(*core.User) error { return nil })
		if err != nil {
			return withoutAccount(err)
		}
		linked, err := tables.Identities.OfUser(ctx, user.ID)
		if err != nil {
			return err
		}
		there := func(identity core.Identity) bool { return identity.Provider == provider }
		if !slices.ContainsFunc(linked, there) {
			return core.NotFound("identity")
		}
		if others := slices.DeleteFunc(linked, there); len(others) == 0 {
			if err := o.deps.checkOtherWay(ctx, tables, user); err != nil {
				return err
			}
		}
		if err := tables.Identities.DeleteAt(ctx, user.ID, provider); err != nil {
			return err
		}
		return o.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditIdentityUnlinked, user.Email+" by "+string(provider))
	})
}

// checkOtherWay returns core.CodeConflict if a person has no way in beside identity providers.
func (d *Deps) checkOtherWay(ctx context.Context, tables storage.Tables, user core.User) error {
	err := d.Doors.CheckPasswords(ctx, tables)
	if err == nil && user.PasswordHash == "" {
		return core.Errorf(core.CodeConflict, "this is the only way into the account: choose a password first")
	}
	if !core.IsCode(err, core.CodePasswordSignInOff) {
		return err
	}
	factor, err := factorOf(ctx, tables, user.ID)
	if err == nil && factor.Passkeys == 0 {
		return core.Errorf(core.CodeConflict, "this is the only way into the account while passwords are turned off: add a passkey first")
	}
	return err
}

// link links a visitor whose address the provider verified to the account with that
// address. If the account's address was never verified, its creator may be an
// attacker who waited for this moment: the account first loses every way to sign
// in.
func (o *OAuthSignIns) link(ctx context.Context, tables storage.Tables, who *Visitor, user core.User) (core.User, error) {
	if user.EmailVerified && who.Company != nil && !who.Company.Links {
		return core.User{}, core.Errorf(core.CodeEmailDomain, "there is an account with the address %s, and %s may not take it over: an admin of this installation has to list the domain for it", user.Email, who.Provider)
	}
	proven := user.EmailVerified
	if !proven {
		var err error
		if who.announce, err = shutOut(ctx, tables, o.deps.Estate, who.actor(user.ID), user.ID); err != nil {
			return core.User{}, err
		}
	}
	user, err := tables.Users.Update(ctx, user.ID, func(user *core.User) error {
		if !proven {
			user.PasswordHash = ""
			user.CredentialVersion++
			user.EmailVerified = true
		}
		if user.AvatarURL == nil {
			user.AvatarURL = who.avatarURL()
		}
		return nil
	})
	if err != nil {
		return core.User{}, err
	}
	if err := tables.Identities.Create(ctx, who.identity(user.ID, o.deps.now())); err != nil {
		return core.User{}, err
	}
	return user, o.recordLink(ctx, tables, *who, user, proven)
}

func (o *OAuthSignIns) recordLink(ctx context.Context, tables storage.Tables, who Visitor, user core.User, proven bool) error {
	target := who.words(user)
	if !proven {
		target += ": changes from before the address was verified were undone"
	}
	return o.deps.Audit.RecordPerson(ctx, tables, who.actor(user.ID), user.ID, core.AuditIdentityLinked, target)
}
