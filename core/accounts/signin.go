package accounts

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// SignIn checks a password and opens a session. A wrong password and an address
// without an account have the same code, core.CodeInvalidCredentials, and take
// the same time: each computes one hash, and nothing else is waited for. by says
// where the call comes from.
func (s *Service) SignIn(ctx context.Context, by core.Actor, email, password string) (Session, error) {
	user, err := s.byEmail(ctx, email)
	if err != nil {
		return Session{}, err
	}
	match, err := s.ports.Passwords.Verify(ctx, user.PasswordHash, password)
	if err != nil {
		return Session{}, err
	}
	if !match {
		if user.ID != "" {
			s.ports.Audit.RecordFailure(ctx, by, user.ID, core.AuditSignInFailed, user.Email)
		}
		return Session{}, core.Errorf(core.CodeInvalidCredentials, "e-mail or password is wrong")
	}
	var made Session
	err = s.ports.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) (err error) {
		if made, err = s.open(ctx, tables, user, false); err != nil {
			return err
		}
		return s.ports.Audit.RecordPerson(ctx, tables, core.Actor{UserID: user.ID, IP: by.IP}, user.ID, core.AuditSignIn, user.Email)
	})
	return made, err
}

// byEmail returns the zero User, whose empty hash no password matches, for an
// address without an account and for what is no address.
func (s *Service) byEmail(ctx context.Context, text string) (core.User, error) {
	email, err := core.NormalEmail(text)
	if err != nil {
		return core.User{}, nil
	}
	user, err := s.ports.Store.Tables().Users.ByEmail(ctx, email)
	if core.IsCode(err, core.CodeNotFound) {
		return core.User{}, nil
	}
	return user, err
}
