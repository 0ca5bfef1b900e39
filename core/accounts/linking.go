package accounts

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// link links a visitor whose address the provider verified to the account with that
// address. If the account's address was never verified, its creator may be an
// attacker who waited for this moment: the account first loses every way to sign
// in.
func (o *OAuthSignIns) link(ctx context.Context, tables storage.Tables, who *visitor, user core.User) (core.User, error) {
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

func (o *OAuthSignIns) recordLink(ctx context.Context, tables storage.Tables, who visitor, user core.User, proven bool) error {
	target := who.words(user)
	if !proven {
		target += ": changes from before the address was verified were undone"
	}
	by := who.actor(user.ID)
	if err := o.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditIdentityLinked, target); err != nil {
		return err
	}
	return o.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditSignIn, who.words(user))
}
