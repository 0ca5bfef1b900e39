// Package accounts holds the use cases of people's accounts: signing up and in,
// sessions, and one's own profile.
package accounts

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

// Settings are what an operator decides about accounts.
type Settings struct {
	// AccessTTL and RefreshTTL are the lifetimes of the two tokens.
	AccessTTL, RefreshTTL time.Duration
	// CreditLimit, in USD, is a new workspace's; nil is unlimited.
	CreditLimit *float64
}

// Ports are what the use cases need.
type Ports struct {
	Store     storage.Store
	Tokens    identity.Tokens
	Passwords identity.Passwords
	Now       func() time.Time
}

// Service is the use cases. Many goroutines may use it.
type Service struct {
	ports    Ports
	settings Settings
}

// New returns the use cases over their ports.
func New(ports Ports, settings Settings) *Service { return &Service{ports, settings} }

// Session is what somebody who signed in gets.
type Session struct {
	User         core.User
	AccessToken  string
	RefreshToken string
}

// Home is a user with the workspace that the studio opens first: the personal
// one, else the oldest.
type Home struct {
	User      core.User
	Workspace core.Workspace
	// Role is the user's in the workspace.
	Role core.Role
}

// Authenticate returns the caller that an access token stands for, without
// asking the database. A token that has run out has code core.CodeTokenExpired,
// any other flaw core.CodeUnauthenticated.
func (s *Service) Authenticate(_ context.Context, token string) (core.Actor, error) {
	claims, err := s.ports.Tokens.Verify(token, identity.TokenAccess)
	return core.Actor{UserID: claims.Subject}, err
}

// Me returns the caller's account. A caller whose account is gone has code
// core.CodeUnauthenticated.
func (s *Service) Me(ctx context.Context, by core.Actor) (Home, error) {
	tables := s.ports.Store.Tables()
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil {
		return Home{}, withoutAccount(err)
	}
	spaces, err := tables.Workspaces.OfUser(ctx, by.UserID)
	if err != nil {
		return Home{}, err
	}
	if len(spaces) == 0 {
		return Home{}, core.Errorf(core.CodeInternal, "user %s has no workspace", by.UserID)
	}
	role, err := tables.Workspaces.Role(ctx, spaces[0].ID, by.UserID)
	return Home{user, spaces[0], role}, err
}

// withoutAccount answers a caller whose token outlived the account.
func withoutAccount(err error) error {
	if core.IsCode(err, core.CodeNotFound) {
		return core.Wrap(core.CodeUnauthenticated, err, "the account is gone")
	}
	return err
}

func (s *Service) now() core.Time { return core.At(s.ports.Now()) }

// sign returns a token of the user's. Instants are cut to the second, which is
// all that a token carries.
func (s *Service) sign(user core.User, kind identity.TokenKind, lifetime time.Duration) (string, error) {
	issued := core.At(s.ports.Now().Truncate(time.Second))
	return s.ports.Tokens.Sign(identity.Claims{
		ID: core.NewID(), Subject: user.ID, Kind: kind, Version: user.CredentialVersion,
		IssuedAt: issued, ExpiresAt: issued.Add(lifetime),
	})
}

func (s *Service) open(user core.User) (Session, error) {
	access, err := s.sign(user, identity.TokenAccess, s.settings.AccessTTL)
	if err != nil {
		return Session{}, err
	}
	refresh, err := s.sign(user, identity.TokenRefresh, s.settings.RefreshTTL)
	return Session{user, access, refresh}, err
}
