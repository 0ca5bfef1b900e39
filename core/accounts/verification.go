package accounts

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// Proofs has the use cases around proving an account's address with a link from a mail.
//
// An account proves nothing about its address, because anybody can sign up with anybody's.
// The mail goes to the address's owner, who may not be who created the account. So the link
// alone changes nothing: it only works in a session of the very account that it was made
// for. An attacker who signed up with somebody's address cannot make them verify it, because
// the owner who opens the link is not signed in to the attacker's account.
//
// In the session that created the account, its creator is who reads the mail, so nobody has
// to be shut out and nothing is lost. In any other session the owner may have been handed a
// password by somebody who prepared the account and still knows it. Only the person can tell,
// so they are asked: who created the account keeps everything; who did not chooses a new
// password by mail, which undoes what was done before (shutOut).
//
// A session that a page on a sibling host planted as a cookie is the one thing that the
// service cannot tell from the person's own. The studio therefore names the account and waits
// for a click; published sites belong on another registrable domain anyway.
type Proofs struct {
	deps     *Deps
	sessions *Sessions
	profiles *Profiles
}

// AskForProof mails the caller a link that proves their address, unless it is proven. Beyond
// mailer.MaxDailyProofs it returns core.CodeRateLimited, and core.CodeInsufficientScope to a
// caller with an API token.
func (p *Proofs) AskForProof(ctx context.Context, by core.Actor) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	err := p.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := checkSession(ctx, tables, by); err != nil {
			return err
		}
		user, err := tables.Users.ByID(ctx, by.UserID)
		if err != nil || user.EmailVerified {
			return err
		}
		return p.deps.Mails.Prove(ctx, tables, user.Email, proofFor(user, core.TicketVerifyEmail))
	})
	if err == nil {
		p.deps.Mails.Wake()
	}
	return withoutAccount(err)
}

func proofFor(user core.User, kind core.TicketKind) mailer.Proof {
	return mailer.Proof{Kind: kind, User: user.ID, Version: user.CredentialVersion}
}

// Prove uses the link of a mail: it verifies the caller's address, or gives the account the
// address that ChangeEmail asked for. created says that the caller created the account, which
// counts for an account without a proven address when the session does not show it. A new
// address (moved) ends every session, the caller's too; a verified one changes nothing else.
//
// A token that is wrong, expired or used has code core.CodeInvalidToken; of parallel calls
// exactly one succeeds. It stays valid after core.CodeForbidden, for a link of another
// account; core.CodeConflict, when the caller has to say created; core.CodeEmailTaken, when
// another account has got the address since; and core.CodeUnauthenticated and
// core.CodeInsufficientScope.
func (p *Proofs) Prove(ctx context.Context, by core.Actor, token string, created bool) (user core.User, moved bool, err error) {
	if err := ownAccount(by); err != nil {
		return core.User{}, false, err
	}
	err = p.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := checkSession(ctx, tables, by); err != nil {
			return err
		}
		ticket, err := p.take(ctx, tables, by, token)
		if err != nil {
			return err
		}
		if user, err = tables.Users.ByID(ctx, by.UserID); err != nil {
			return err
		}
		if err := p.checkCreator(ctx, tables, by, user, created); err != nil {
			return err
		}
		if moved = ticket.Kind == core.TicketChangeEmail; moved {
			user, err = p.move(ctx, tables, by, user, ticket.Address)
		} else {
			user, err = p.verify(ctx, tables, by, user, ticket.Address)
		}
		return err
	})
	if err != nil {
		return core.User{}, false, withoutAccount(err)
	}
	p.sessions.standings.forget(by.UserID)
	p.deps.Mails.Wake()
	return user, moved, nil
}

// take spends a token of the caller's, of either kind.
func (p *Proofs) take(ctx context.Context, tables storage.Tables, by core.Actor, token string) (core.Ticket, error) {
	ticket, err := tables.Tickets.Take(ctx, core.TicketVerifyEmail, core.HashSecret(token))
	if core.IsCode(err, core.CodeNotFound) {
		ticket, err = tables.Tickets.Take(ctx, core.TicketChangeEmail, core.HashSecret(token))
	}
	switch {
	case core.IsCode(err, core.CodeNotFound), err == nil && ticket.ExpiresAt <= p.deps.now():
		return core.Ticket{}, invalidProof()
	case err == nil && ticket.UserID != by.UserID:
		return core.Ticket{}, core.Errorf(core.CodeForbidden, "this link is for another account: sign in to the one that asked for it")
	}
	return ticket, err
}

func invalidProof() error {
	return core.Errorf(core.CodeInvalidToken, "this link has expired or was already used: request a new one")
}

// checkCreator returns core.CodeConflict unless an account without a proven address was
// created in this session, or the caller says that they created it.
func (p *Proofs) checkCreator(ctx context.Context, tables storage.Tables, by core.Actor, user core.User, created bool) error {
	if user.EmailVerified || created {
		return nil
	}
	session, err := tables.Sessions.ByID(ctx, by.SessionID)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	if err == nil && session.SignedUp && session.UserID == by.UserID {
		return nil
	}
	return core.Errorf(core.CodeConflict, "the account was created in another session: say that you created it (created: true), or choose a new password by mail, which undoes what others did with it")
}

// verify marks the address as proven. Nothing else changes.
func (p *Proofs) verify(ctx context.Context, tables storage.Tables, by core.Actor, user core.User, address string) (core.User, error) {
	user, err := tables.Users.Update(ctx, user.ID, func(user *core.User) error {
		if user.Email != address {
			return invalidProof()
		}
		user.EmailVerified = true
		return nil
	})
	if err != nil {
		return core.User{}, err
	}
	if err := tables.Tickets.DeleteOf(ctx, user.ID, core.TicketVerifyEmail); err != nil {
		return core.User{}, err
	}
	return user, p.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditEmailVerified, user.Email)
}

// Reclaimer gives an account back to the person who proves that its address is theirs, as far as
// other packages keep what was done in its name; workspaces.Members implements it.
type Reclaimer interface {
	// Reclaim undoes what was done in the account's name before its address was
	// verified. announce, to be called after the transaction, tells the people
	// concerned.
	Reclaim(ctx context.Context, tables storage.Tables, by core.Actor, person core.ID) (announce func(context.Context), err error)
}

// shutOut undoes what was done with an account before its address was verified, once
// somebody verifies it: its creator may be an attacker who waited for this moment. It
// deletes tokens, connected programs, tickets, identities, subscriptions and the second factor with
// its passkeys; the password and the sessions end with the change of the user's record, the rest
// with the estate. announce must be called after the transaction.
func shutOut(ctx context.Context, tables storage.Tables, estate Reclaimer, by core.Actor, user core.ID) (announce func(context.Context), err error) {
	subscriptions, err := tables.Subscriptions.List(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, subscription := range subscriptions {
		if err := tables.Subscriptions.Delete(ctx, user, subscription.ID); err != nil {
			return nil, err
		}
	}
	err = errors.Join(
		tables.Sessions.DeleteOf(ctx, user),
		tables.APITokens.DeleteOf(ctx, user),
		tables.ProgramGrants.DeleteOf(ctx, user),
		voidLinks(ctx, tables, user),
		tables.Identities.DeleteOf(ctx, user),
		tables.Factors.DeleteOf(ctx, user),
		tables.Passkeys.DeleteOf(ctx, user),
	)
	if err != nil {
		return nil, err
	}
	return estate.Reclaim(ctx, tables, by, user)
}

// nobody is an announcement that does nothing.
func nobody(context.Context) {}
