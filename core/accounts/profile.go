package accounts

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Change is a change of a person's account. A nil field is left unchanged.
type Change struct {
	// DisplayName points to nil to remove the name.
	DisplayName **string
	Password    *PasswordChange
}

// PasswordChange replaces a password; it has the current one as proof.
type PasswordChange struct {
	Current string
	New     string
}

// Update changes the caller's account, all or nothing. It returns
// core.CodeValidationFailed for a field out of bounds, core.CodeInvalidCredentials
// for a wrong current password, and core.CodeInsufficientScope to a caller with an
// API token. A new password ends every session, including the caller's.
func (s *Service) Update(ctx context.Context, by core.Actor, change Change) (core.User, error) {
	if err := ownAccount(by); err != nil {
		return core.User{}, err
	}
	name, err := checkNameChange(change.DisplayName)
	if err != nil {
		return core.User{}, err
	}
	from, to, err := s.replacePassword(ctx, by, change.Password)
	if err != nil {
		return core.User{}, err
	}
	var user core.User
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) (err error) {
		user, err = tables.Users.Update(ctx, by.UserID, func(user *core.User) error {
			if name != nil {
				user.DisplayName = *name
			}
			return setPassword(user, change.Password != nil, from, to)
		})
		if err != nil || change.Password == nil {
			return err
		}
		if err := tables.Sessions.DeleteOf(ctx, user.ID); err != nil {
			return err
		}
		return s.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditPasswordChanged, user.Email)
	})
	if err != nil {
		return core.User{}, withoutAccount(err)
	}
	if change.Password != nil {
		s.standings.forget(by.UserID)
	}
	return user, nil
}

// setPassword replaces a hash, unless another change came first (optimistic
// locking): then this one's proof is void.
func setPassword(user *core.User, wanted bool, from, to string) error {
	if !wanted {
		return nil
	}
	if user.PasswordHash != from {
		return wrongPassword()
	}
	user.PasswordHash = to
	user.CredentialVersion++
	return nil
}

func checkNameChange(name **string) (**string, error) {
	if name == nil {
		return nil, nil
	}
	checked, err := checkDisplayName(*name)
	return &checked, err
}

// replacePassword returns the hash that the current password matches and the
// hash of the new one; both are "" without a change.
func (s *Service) replacePassword(ctx context.Context, by core.Actor, change *PasswordChange) (from, to string, err error) {
	if change == nil {
		return "", "", nil
	}
	if err := core.CheckPassword(change.New); err != nil {
		return "", "", err
	}
	user, err := s.deps.Store.Tables().Users.ByID(ctx, by.UserID)
	if err != nil {
		return "", "", withoutAccount(err)
	}
	// Changes are counted separately from sign-ins.
	account := "change " + string(user.ID)
	if s.deps.Settings.LimitGuesses {
		if err := s.guesses.take(account); err != nil {
			return "", "", err
		}
	}
	match, err := s.deps.Passwords.Verify(ctx, user.PasswordHash, change.Current)
	if s.deps.Settings.LimitGuesses && (err != nil || match) {
		s.guesses.giveBack(account)
	}
	if err != nil {
		return "", "", err
	}
	if !match {
		return "", "", wrongPassword()
	}
	to, err = s.deps.Passwords.Hash(ctx, change.New)
	return user.PasswordHash, to, err
}

func wrongPassword() error {
	return core.Errorf(core.CodeInvalidCredentials, "currentPassword is wrong")
}
