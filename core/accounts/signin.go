package accounts

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// SignIns has the use cases of signing up and in with an address and a password.
type SignIns struct {
	deps     *Deps
	sessions *Sessions
	guesses  *guesses
}

// SignIn checks a password and opens a session. A wrong password and an address
// without an account have the same code, core.CodeInvalidCredentials, and take the
// same time: each computes one hash. Beyond MaxGuesses both have
// core.CodeRateLimited, except from networks with an earlier sign-in to the
// account. Only the right password tells that an account is disabled
// (core.CodeAccountDisabled), or that it has a second factor (core.CodeMFARequired, with the
// token for SecondSteps.Finish). An address whose company has its own sign-in has
// core.CodeCompanySignIn, whatever the password, unless it is right and the account an admin's of
// the installation. While passwords are off, everybody gets core.CodePasswordSignInOff. by has the address of the call.
func (s *SignIns) SignIn(ctx context.Context, by core.Actor, email, password string) (Session, error) {
	if err := s.deps.Doors.CheckPasswords(ctx, s.deps.Store.Tables()); err != nil {
		return Session{}, err
	}
	user, err := s.byEmail(ctx, email)
	if err != nil {
		return Session{}, err
	}
	account := tried(email)
	counted, err := s.mayTry(ctx, s.deps.Store.Tables(), by, account, user.ID)
	if err != nil {
		return Session{}, err
	}
	match, err := s.deps.Passwords.Verify(ctx, user.PasswordHash, password)
	if counted && (err != nil || match) {
		s.guesses.giveBack(account)
	}
	if err != nil {
		return Session{}, err
	}
	if !match {
		if user.ID != "" {
			s.deps.Audit.RecordFailure(ctx, by, user.ID, core.AuditSignInFailed, user.Email)
		}
		// The answer is that to the right password, and so tells nothing of the account.
		if err := s.deps.Companies.CheckAddress(ctx, s.deps.Store.Tables(), account, ProofPassword); err != nil {
			return Session{}, err
		}
		return Session{}, core.Errorf(core.CodeInvalidCredentials, "e-mail or password is wrong")
	}
	if err := checkEnabled(user); err != nil {
		return Session{}, err
	}
	var made entrance
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) (err error) {
		made, err = s.sessions.open(ctx, tables, user, arrival{by: by, proof: ProofPassword})
		return err
	})
	if err != nil {
		return Session{}, err
	}
	s.deps.Mails.Wake()
	return made.result()
}

// checkEnabled returns core.CodeAccountDisabled for an account that an admin disabled.
func checkEnabled(user core.User) error {
	if user.DisabledAt == 0 {
		return nil
	}
	return core.Errorf(core.CodeAccountDisabled, "this account is disabled: ask the people who run this service")
}

// tried is the canonical spelling of the address for a sign-in.
func tried(email string) string {
	if normal, err := core.NormalEmail(email); err == nil {
		return normal
	}
	return "" // invalid addresses have no account, and share one count
}

// byEmail returns the account with an address. For an invalid address and one
// without an account it returns the zero User, whose empty hash no password
// matches.
func (s *SignIns) byEmail(ctx context.Context, text string) (core.User, error) {
	email, err := core.NormalEmail(text)
	if err != nil {
		return core.User{}, nil
	}
	user, err := s.deps.Store.Tables().Users.ByEmail(ctx, email)
	if core.IsCode(err, core.CodeNotFound) {
		return core.User{}, nil
	}
	return user, err
}

// mayTry counts an attempt to sign in. Networks from which somebody has signed in to the
// account are exempt. It makes both queries for every address, with or without an
// account.
func (s *SignIns) mayTry(ctx context.Context, tables storage.Tables, by core.Actor, account string, user core.ID) (counted bool, err error) {
	if !s.deps.Settings.LimitGuesses {
		return false, nil
	}
	limited := s.guesses.take(account)
	if limited == nil {
		return true, nil
	}
	network := networkOf(by.IP)
	known, err := tables.Sessions.Known(ctx, user, network, "")
	if err != nil {
		return false, err
	}
	if known || s.guesses.isWelcome(account, network) {
		return false, nil
	}
	return false, limited
}
