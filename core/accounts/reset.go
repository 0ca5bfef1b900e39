package accounts

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// errUnspent rolls back a transaction that only checked a ticket.
var errUnspent = errors.New("the ticket is good and stays")

// Resets has the use cases around forgotten passwords.
type Resets struct {
	deps      *Deps
	standings *standings
	guesses   *guesses
}

// ForgotPassword sends a mail with a link for a new password to an address with an
// account. Whether it has one is only checked when the mail is sent, so that
// neither the answer nor its duration reveals it. The mail is in the language of the
// account, else of the call by. An invalid address has code core.CodeValidationFailed,
// and every one core.CodePasswordSignInOff while passwords are off.
func (r *Resets) ForgotPassword(ctx context.Context, by core.Actor, address string) error {
	email, err := core.NormalEmail(address)
	if err != nil {
		return err
	}
	err = r.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := r.deps.Doors.CheckPasswords(ctx, tables); err != nil {
			return err
		}
		return r.deps.Mails.PasswordReset(ctx, tables, email, by.Language)
	})
	if err != nil {
		return err
	}
	r.deps.Mails.Wake()
	return nil
}

// ResetPassword sets a new password for the account to which the token was mailed,
// and ends all its sessions. The holder of the token reads the mail of the
// account's address, so the address then counts as verified. by has the address of
// the call.
//
// A password out of bounds has code core.CodeValidationFailed and leaves the token
// valid. A token that is wrong, expired or used has code core.CodeInvalidToken; of
// parallel calls exactly one succeeds. While passwords are off, every token has code
// core.CodePasswordSignInOff and stays valid.
func (r *Resets) ResetPassword(ctx context.Context, by core.Actor, token, password string) error {
	if err := core.CheckPassword(password); err != nil {
		return err
	}
	// Checked before the slow hash, so that guesses cost little.
	user, err := r.checkTicket(ctx, token)
	if err != nil {
		return err
	}
	if err := user.CheckPassword(password); err != nil {
		return err
	}
	hash, err := r.deps.Passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	announce, owner, email := nobody, core.ID(""), ""
	err = r.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		user, err := r.takeTicket(ctx, tables, token)
		if err != nil {
			return err
		}
		owner, email = user.ID, user.Email
		announce, err = r.reset(ctx, tables, core.Actor{UserID: user.ID, IP: by.IP, Agent: by.Agent}, user, hash)
		return err
	})
	if err == nil {
		r.standings.forget(owner)
		r.guesses.greet(email, networkOf(by.IP))
		r.deps.Mails.Wake()
		announce(ctx)
	}
	return err
}

// checkTicket returns the user of a valid token, without spending it.
func (r *Resets) checkTicket(ctx context.Context, token string) (user core.User, err error) {
	err = r.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := r.deps.Doors.CheckPasswords(ctx, tables); err != nil {
			return err
		}
		if user, err = r.takeTicket(ctx, tables, token); err != nil {
			return err
		}
		return errUnspent
	})
	if errors.Is(err, errUnspent) {
		return user, nil
	}
	return core.User{}, err
}

// takeTicket spends a token and returns its user.
func (r *Resets) takeTicket(ctx context.Context, tables storage.Tables, token string) (core.User, error) {
	ticket, err := tables.Tickets.Take(ctx, core.TicketPasswordReset, core.HashSecret(token))
	if core.IsCode(err, core.CodeNotFound) || err == nil && ticket.ExpiresAt <= r.deps.now() {
		return core.User{}, core.Errorf(core.CodeInvalidToken, "this link has expired or was already used: request a new one")
	}
	if err != nil {
		return core.User{}, err
	}
	return tables.Users.ByID(ctx, ticket.UserID)
}

// reset stores the new hash and invalidates all other links. An account
// whose address was never verified may have been created by an attacker, who loses
// every way to sign in. announce must be called after the transaction.
func (r *Resets) reset(ctx context.Context, tables storage.Tables, by core.Actor, user core.User, hash string) (announce func(context.Context), err error) {
	target, announce := user.Email, nobody
	if !user.EmailVerified {
		target += ": changes from before the address was verified were undone"
		if announce, err = shutOut(ctx, tables, r.deps.Estate, by, user.ID); err != nil {
			return nil, err
		}
	}
	user, err = tables.Users.Update(ctx, user.ID, func(user *core.User) error {
		user.PasswordHash = hash
		user.CredentialVersion++
		user.EmailVerified = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(voidLinks(ctx, tables, user.ID), tables.Sessions.DeleteOf(ctx, user.ID)); err != nil {
		return nil, err
	}
	if err := r.deps.Mails.Notify(ctx, tables, user, noticeOf(by, mailer.NoticePasswordChanged)); err != nil {
		return nil, err
	}
	return announce, r.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditPasswordReset, target)
}
