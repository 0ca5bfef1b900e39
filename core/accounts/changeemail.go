package accounts

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// ChangeEmail mails a link to a new address, which Prove makes the account's, and tells the
// present address. An earlier change that was not confirmed is void. Whether the address has
// an account is only checked when the mail is sent, so that neither the answer nor its
// duration reveals it.
//
// It returns core.CodeInvalidCredentials for a wrong password, core.CodeSignInAgain for an
// account without one after RecentSignIn, core.CodeValidationFailed for an invalid address and for the present
// one, core.CodeSignupClosed for one that the installation does not admit, core.CodeRateLimited beyond mailer.MaxDailyProofs or MaxGuesses, and
// core.CodeInsufficientScope to a caller with an API token.
func (p *Proofs) ChangeEmail(ctx context.Context, by core.Actor, address, password string) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	email, err := core.NormalEmail(address)
	if err != nil {
		return err
	}
	owner, err := p.profiles.checkPassword(ctx, by, password)
	if err != nil {
		return err
	}
	if owner.Email == email {
		return core.Errorf(core.CodeValidationFailed, "email is already the account's address")
	}
	err = p.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := checkSession(ctx, tables, by); err != nil {
			return err
		}
		user, err := tables.Users.ByID(ctx, by.UserID)
		if err != nil {
			return err
		}
		if user.PasswordHash != owner.PasswordHash {
			return wrongPassword("password")
		}
		if err := p.deps.Doors.CheckMove(ctx, tables, email); err != nil {
			return err
		}
		if err := tables.Tickets.DeleteOf(ctx, user.ID, core.TicketChangeEmail); err != nil {
			return err
		}
		if err := p.deps.Mails.Prove(ctx, tables, email, proofFor(user, core.TicketChangeEmail)); err != nil {
			return err
		}
		if err := p.deps.Mails.Notify(ctx, tables, user, noticeOf(by, mailer.NoticeEmailChanging)); err != nil {
			return err
		}
		return p.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditEmailChangeAsked, user.Email+" → "+email)
	})
	if err == nil {
		p.deps.Mails.Wake()
	}
	return withoutAccount(err)
}

// noticeOf describes the call that a notice tells of.
func noticeOf(by core.Actor, kind mailer.NoticeKind) mailer.Notice {
	return mailer.Notice{Kind: kind, Device: DeviceOf(by.Agent), Address: by.IP}
}

// move gives the account a new address, which is proven, if the installation still admits it. Links
// to the old one are void, and so are all sessions.
func (p *Proofs) move(ctx context.Context, tables storage.Tables, by core.Actor, before core.User, address string) (core.User, error) {
	if err := p.deps.Doors.CheckMove(ctx, tables, address); err != nil {
		return core.User{}, err
	}
	user, err := tables.Users.Update(ctx, before.ID, func(user *core.User) error {
		user.Email, user.EmailVerified = address, true
		user.CredentialVersion++
		return nil
	})
	if err != nil {
		return core.User{}, err
	}
	err = errors.Join(voidLinks(ctx, tables, user.ID), tables.Sessions.DeleteOf(ctx, user.ID))
	if err != nil {
		return core.User{}, err
	}
	if err := p.deps.Mails.Notify(ctx, tables, before, noticeOf(by, mailer.NoticeEmailChanged)); err != nil {
		return core.User{}, err
	}
	return user, p.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditEmailChanged, before.Email+" → "+address)
}

// voidLinks invalidates the links of all mails to a user, and the sign-ins that wait for a second
// factor, once their credentials change.
func voidLinks(ctx context.Context, tables storage.Tables, user core.ID) error {
	return errors.Join(
		tables.Tickets.DeleteOf(ctx, user, core.TicketPasswordReset),
		tables.Tickets.DeleteOf(ctx, user, core.TicketVerifyEmail),
		tables.Tickets.DeleteOf(ctx, user, core.TicketChangeEmail),
		tables.Tickets.DeleteOf(ctx, user, core.TicketSecondFactor),
	)
}
