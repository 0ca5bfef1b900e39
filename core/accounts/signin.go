package accounts

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
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
	if err := s.recordPerson(ctx, core.Actor{UserID: user.ID, IP: by.IP}, core.AuditSignIn, user.Email); err != nil {
		return Session{}, err
	}
	return s.open(user)
}

// recordPerson writes something that the caller did to their own account to the
// audit log.
func (s *Service) recordPerson(ctx context.Context, by core.Actor, action core.AuditAction, target string) error {
	return s.ports.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		return s.ports.Audit.RecordPerson(ctx, tables, by, by.UserID, action, target)
	})
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

// Refresh returns a fresh access token for a refresh token. One that has run out
// has code core.CodeTokenExpired; any other flaw, an account that is gone, and a
// token from before the credentials changed have code core.CodeUnauthenticated.
func (s *Service) Refresh(ctx context.Context, token string) (string, error) {
	claims, err := s.ports.Tokens.Verify(token, identity.TokenRefresh)
	if err != nil {
		return "", err
	}
	user, err := s.ports.Store.Tables().Users.ByID(ctx, claims.Subject)
	if err != nil {
		return "", withoutAccount(err)
	}
	if claims.Version != user.CredentialVersion {
		return "", core.Errorf(core.CodeUnauthenticated, "the session was ended")
	}
	return s.sign(user, identity.TokenAccess, s.settings.AccessTTL)
}

// SignOutEverywhere refuses every refresh token that the caller got so far.
// Access tokens run on to their end. A caller with an API token has code
// core.CodeInsufficientScope.
func (s *Service) SignOutEverywhere(ctx context.Context, by core.Actor) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	err := s.ports.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		user, err := tables.Users.Update(ctx, by.UserID, func(user *core.User) error {
			user.CredentialVersion++
			return nil
		})
		if err != nil {
			return err
		}
		return s.ports.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditSignOutEverywhere, user.Email)
	})
	return withoutAccount(err)
}
