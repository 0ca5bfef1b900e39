package accounts

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// Settings are what an operator decides about accounts.
type Settings struct {
	// AccessTTL and RefreshTTL are the lifetimes of the two tokens.
	AccessTTL, RefreshTTL time.Duration
	// CreditLimit is that of a new workspace, in USD; nil is unlimited.
	CreditLimit *float64
	// LimitGuesses bounds the wrong passwords for an account, from whatever address.
	LimitGuesses bool
}

// Deps is what the use cases need.
type Deps struct {
	Store     storage.Store
	Tokens    identity.Tokens
	Passwords identity.Passwords
	Sealer    identity.Sealer
	// OAuth are the providers with which people can sign in.
	OAuth oauth.Providers
	Audit *audit.Log
	Mails *mailer.Queue
	// Estate is called when an address is first verified.
	Estate   Estate
	Settings Settings
	Now      func() time.Time
	Log      *slog.Logger
}

// Service is the use cases. Many goroutines may use it.
type Service struct {
	deps      Deps
	uses      *uses
	standings *standings
	guesses   *guesses
}

// New returns the use cases over their ports.
func New(deps Deps) *Service {
	return &Service{deps, newUses(deps.Store, deps.Log), newStandings(deps.Store), newGuesses(deps.Now)}
}

// Close waits for writes in the background. The service must not be used afterwards.
func (s *Service) Close() { s.uses.writing.Wait() }

// Home is a user with the workspace that the studio opens first: the personal
// one, else the oldest.
type Home struct {
	User      core.User
	Workspace core.Workspace
	// Role is the user's in the workspace.
	Role core.Role
}

// Authenticate returns the caller of an access token or an API token. It asks the
// database for every API token, and for a session once in standingTTL. An expired
// token has code core.CodeTokenExpired. One that is forged, deleted, of an ended
// session or otherwise invalid has code core.CodeUnauthenticated.
func (s *Service) Authenticate(ctx context.Context, token string) (core.Actor, error) {
	if isAPIToken(token) {
		return s.program(ctx, token)
	}
	claims, err := s.deps.Tokens.Verify(token, identity.TokenAccess)
	if err != nil {
		return core.Actor{}, err
	}
	actor := core.Actor{
		UserID: claims.Subject, CredentialVersion: claims.Version, SessionID: claims.Session, Until: claims.ExpiresAt,
	}
	return actor, s.standings.check(ctx, actor)
}

// Me returns the caller's account. It returns core.CodeUnauthenticated if the account
// no longer exists, and core.CodeInsufficientScope to a caller with an API token.
func (s *Service) Me(ctx context.Context, by core.Actor) (Home, error) {
	if err := ownAccount(by); err != nil {
		return Home{}, err
	}
	tables := s.deps.Store.Tables()
	user, spaces, err := tables.Users.WithWorkspaces(ctx, by.UserID)
	if err != nil {
		return Home{}, withoutAccount(err)
	}
	space, role, err := homeAmong(spaces, by.UserID)
	return Home{user, space, role}, err
}

// homeAmong returns the workspace that the studio opens first, with the user's role:
// their own personal one, else the first of all. Others may have invited the person
// into their personal workspaces.
func homeAmong(spaces []core.JoinedWorkspace, user core.ID) (core.Workspace, core.Role, error) {
	if len(spaces) == 0 {
		return core.Workspace{}, "", core.Errorf(core.CodeInternal, "user %s has no workspace", user)
	}
	home := spaces[0]
	for _, space := range spaces {
		if !space.Personal || space.IsOwn() {
			home = space
			break
		}
	}
	return home.Workspace, home.Role, nil
}

// withoutAccount returns the error for a caller whose token outlived the account.
func withoutAccount(err error) error {
	if core.IsCode(err, core.CodeNotFound) {
		return core.Wrap(core.CodeUnauthenticated, err, "the account is gone")
	}
	return err
}

// checkSession returns core.CodeUnauthenticated for a session that was ended, or that
// began before the credentials changed. A token without a session is from before
// sessions were records.
func checkSession(ctx context.Context, tables storage.Tables, by core.Actor) error {
	standing, err := tables.Sessions.Standing(ctx, by.UserID, by.SessionID)
	if err != nil {
		return withoutAccount(err)
	}
	if standing.CredentialVersion != by.CredentialVersion || by.SessionID != "" && !standing.Open {
		return sessionEnded()
	}
	return nil
}

// Standing checks whether a caller who was authenticated earlier, and stays
// connected, is still valid: the account exists, the session was not ended, the API
// token not deleted. If not, it returns core.CodeUnauthenticated, and once the token
// has expired, core.CodeTokenExpired.
func (s *Service) Standing(ctx context.Context, by core.Actor) error {
	if by.Until > 0 && s.now() >= by.Until {
		return core.Errorf(core.CodeTokenExpired, "the token has run out")
	}
	tables := s.deps.Store.Tables()
	if !by.Token {
		return checkSession(ctx, tables, by)
	}
	tokens, err := tables.APITokens.List(ctx, by.UserID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(tokens, func(t core.APIToken) bool { return t.ID == by.TokenID }) {
		return unknownToken(nil)
	}
	return nil
}

func (s *Service) now() core.Time { return core.At(s.deps.Now()) }
