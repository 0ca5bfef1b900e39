package accounts

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Change is what a person changes about their account. A nil field stays.
type Change struct {
	// DisplayName points to nil to remove the name.
	DisplayName **string
	Password    *PasswordChange
}

// PasswordChange replaces a password by somebody who knows it.
type PasswordChange struct {
	Current string
	New     string
}

// Update changes the caller's account, all or nothing. A field out of bounds has
// code core.CodeValidationFailed, a wrong current password
// core.CodeInvalidCredentials. A new password refuses every refresh token so far.
func (s *Service) Update(ctx context.Context, by core.Actor, change Change) (core.User, error) {
	name, err := checkNameChange(change.DisplayName)
	if err != nil {
		return core.User{}, err
	}
	from, to, err := s.replacePassword(ctx, by, change.Password)
	if err != nil {
		return core.User{}, err
	}
	user, err := s.ports.Store.Tables().Users.Update(ctx, by.UserID, func(user *core.User) error {
		if name != nil {
			user.DisplayName = *name
		}
		if change.Password == nil {
			return nil
		}
		// Another change may have come first, and then this one's proof is void.
		if user.PasswordHash != from {
			return wrongPassword()
		}
		user.PasswordHash = to
		user.CredentialVersion++
		return nil
	})
	return user, withoutAccount(err)
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
	user, err := s.ports.Store.Tables().Users.ByID(ctx, by.UserID)
	if err != nil {
		return "", "", withoutAccount(err)
	}
	match, err := s.ports.Passwords.Verify(ctx, user.PasswordHash, change.Current)
	if err != nil {
		return "", "", err
	}
	if !match {
		return "", "", wrongPassword()
	}
	to, err = s.ports.Passwords.Hash(ctx, change.New)
	return user.PasswordHash, to, err
}

func wrongPassword() error {
	return core.Errorf(core.CodeInvalidCredentials, "currentPassword is wrong")
}
