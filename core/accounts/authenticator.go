package accounts

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

// Authenticator tells who a caller is, and whether they may stay connected.
type Authenticator struct {
	deps     *Deps
	tokens   *APITokens
	sessions *Sessions
}

// Authenticate returns the caller of an access token or an API token. It asks the
// database for every API token, and for a session once in standingTTL. An expired
// token has code core.CodeTokenExpired. One that is forged, deleted, of an ended
// session or otherwise invalid has code core.CodeUnauthenticated. With an error, the
// actor is the one to whom a session's token was issued, if it was issued here: enough to
// count the call, and no more.
func (a *Authenticator) Authenticate(ctx context.Context, token string) (core.Actor, error) {
	if isAPIToken(token) {
		return a.tokens.program(ctx, token)
	}
	claims, err := a.deps.Tokens.Verify(token, identity.TokenAccess)
	actor := core.Actor{
		UserID: claims.Subject, CredentialVersion: claims.Version, SessionID: claims.Session, Until: claims.ExpiresAt,
	}
	if err != nil {
		return actor, err
	}
	lacks, err := a.sessions.standings.check(ctx, actor)
	if err != nil {
		return actor, err
	}
	actor.NeedsFactor, actor.NeedsEmail = lacks.factor, lacks.email
	if actor.SessionID != "" {
		// The session was seen when the token was signed.
		a.sessions.uses.note(ctx, actor.SessionID, &claims.IssuedAt, a.deps.now())
	}
	return actor, nil
}

// SessionOf returns the session of a refresh token that was issued here, "" for any other
// text and for a token that has expired. It does not say whether the session is open.
func (a *Authenticator) SessionOf(refresh string) core.ID {
	claims, err := a.deps.Tokens.Verify(refresh, identity.TokenRefresh)
	if err != nil {
		return ""
	}
	return cmp.Or(claims.Session, claims.ID)
}

// Standing checks whether a caller who was authenticated earlier, and stays
// connected, is still valid: the account exists and is enabled, the session was not ended,
// the API token not deleted, the program not disconnected. If not, it returns core.CodeUnauthenticated, and once the token
// has expired, core.CodeTokenExpired.
func (a *Authenticator) Standing(ctx context.Context, by core.Actor) error {
	if by.Until > 0 && a.deps.now() >= by.Until {
		return core.Errorf(core.CodeTokenExpired, "the token has expired")
	}
	tables := a.deps.Store.Tables()
	if !by.Token {
		return checkSession(ctx, tables, by)
	}
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil {
		return withoutAccount(err)
	}
	tokens, err := tables.APITokens.List(ctx, by.UserID)
	if err != nil {
		return err
	}
	if user.DisabledAt != 0 {
		return unknownToken(nil)
	}
	if slices.ContainsFunc(tokens, func(t core.APIToken) bool { return t.ID == by.TokenID }) {
		return nil
	}
	programs, err := tables.ProgramGrants.List(ctx, by.UserID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(programs, func(g core.ProgramGrant) bool { return g.ID == by.TokenID }) {
		return unknownToken(nil)
	}
	return nil
}

// Ended reports whether the session or API token of a caller who was authenticated earlier is
// over. A session goes on when its access token expires, because it can be renewed. If the
// database does not answer, nothing has ended.
func (a *Authenticator) Ended(ctx context.Context, by core.Actor) bool {
	if by.Token {
		err := a.Standing(ctx, by)
		return core.IsCode(err, core.CodeUnauthenticated) || core.IsCode(err, core.CodeTokenExpired)
	}
	_, err := a.sessions.standings.check(ctx, by)
	return core.IsCode(err, core.CodeUnauthenticated)
}

// withoutAccount returns the error for a caller whose token outlived the account.
func withoutAccount(err error) error {
	if core.IsCode(err, core.CodeNotFound) {
		return core.Wrap(core.CodeUnauthenticated, err, "the account no longer exists")
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
