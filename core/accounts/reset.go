package accounts

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// errUnspent rolls back a transaction that only looked at a ticket.
var errUnspent = errors.New("the ticket is good and stays")

// ForgotPassword has a mail with a link to a new password sent to an address that
// has an account. Whether it has one is found out when the mail is sent, so that
// neither the answer nor the time it takes tells anything. What is no address has
// code core.CodeValidationFailed.
func (s *Service) ForgotPassword(ctx context.Context, address string) error {
	email, err := core.NormalEmail(address)
	if err != nil {
		return err
	}
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		return s.deps.Mails.PasswordReset(ctx, tables, email)
	})
	if err != nil {
		return err
	}
	s.deps.Mails.Wake()
	return nil
}

// ResetPassword sets a new password for whoever the token of a mail was sent to,
// and ends every session so far. The holder of the token reads the mails
// of the account's address, which counts as verified from then on. by says where
// the call comes from.
//
// A password out of bounds has code core.CodeValidationFailed and leaves the token
// good. A token that is wrong, has lapsed or was used has code
// core.CodeInvalidToken; of any number of parallel calls one succeeds.
func (s *Service) ResetPassword(ctx context.Context, by core.Actor, token, password string) error {
	if err := core.CheckPassword(password); err != nil {
		return err
	}
	// Asked before the slow hash, so that guesses cost little.
	if err := s.checkResetTicket(ctx, token); err != nil {
		return err
	}
	hash, err := s.deps.Passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	announce, owner, email := nobody, core.ID(""), ""
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		user, err := s.takeResetTicket(ctx, tables, token)
		if err != nil {
			return err
		}
		owner, email = user.ID, user.Email
		announce, err = s.resetPassword(ctx, tables, core.Actor{UserID: user.ID, IP: by.IP}, user, hash)
		return err
	})
	if err == nil {
		s.standings.forget(owner)
		s.guesses.greet(email, networkOf(by.IP))
		announce(ctx)
	}
	return err
}

// checkResetTicket looks whether a token is good, and spends nothing.
func (s *Service) checkResetTicket(ctx context.Context, token string) error {
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := s.takeResetTicket(ctx, tables, token); err != nil {
			return err
		}
		return errUnspent
	})
	if errors.Is(err, errUnspent) {
		return nil
	}
	return err
}

// takeResetTicket spends a token and returns whose it is.
func (s *Service) takeResetTicket(ctx context.Context, tables storage.Tables, token string) (core.User, error) {
	ticket, err := tables.Tickets.Take(ctx, core.TicketPasswordReset, core.HashSecret(token))
	if core.IsCode(err, core.CodeNotFound) || err == nil && ticket.ExpiresAt <= s.now() {
		return core.User{}, core.Errorf(core.CodeInvalidToken, "this link has lapsed or was used already: ask for a new one")
	}
	if err != nil {
		return core.User{}, err
	}
	return tables.Users.ByID(ctx, ticket.UserID)
}

// resetPassword stores the new hash, and lets no other link work. An account whose
// address nobody had proven may have been made by somebody else, who loses every
// way in. announce is to be called after the transaction.
func (s *Service) resetPassword(ctx context.Context, tables storage.Tables, by core.Actor, user core.User, hash string) (announce func(context.Context), err error) {
	target, announce := user.Email, nobody
	if !user.EmailVerified {
		target += ": what was done before the address was proven is undone"
		if announce, err = s.shutOut(ctx, tables, by, user.ID); err != nil {
			return nil, err
		}
	}
	_, err = tables.Users.Update(ctx, user.ID, func(user *core.User) error {
		user.PasswordHash = hash
		user.CredentialVersion++
		user.EmailVerified = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = errors.Join(tables.Tickets.DeleteOf(ctx, user.ID, core.TicketPasswordReset), tables.Sessions.DeleteOf(ctx, user.ID))
	if err != nil {
		return nil, err
	}
	return announce, s.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditPasswordReset, target)
}
