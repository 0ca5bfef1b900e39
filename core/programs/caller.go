package programs

import (
	"context"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// usePrecision is how exact core.ProgramGrant.LastUsedAt is.
const usePrecision = time.Minute

// IsAccess reports whether a text looks like an access token.
func IsAccess(token string) bool { return strings.HasPrefix(token, AccessPrefix) }

// Authenticate returns the caller of an access token. It asks the database, so that a program that
// was disconnected is out at once. An expired token has code core.CodeTokenExpired, any other that
// does not work core.CodeUnauthenticated.
func (s *Service) Authenticate(ctx context.Context, token string) (core.Actor, error) {
	if !IsAccess(token) || len(token) != len(AccessPrefix)+secretChars {
		return core.Actor{}, unknown(nil)
	}
	tables := s.Store.Tables()
	hash := core.HashSecret(token)
	grant, err := tables.ProgramGrants.ByHash(ctx, hash)
	if core.IsCode(err, core.CodeNotFound) || err == nil && (grant.AccessHash != hash || grant.Resource != s.Resource()) {
		return core.Actor{}, unknown(err)
	}
	if err != nil {
		return core.Actor{}, err
	}
	user, err := tables.Users.ByID(ctx, grant.UserID)
	if core.IsCode(err, core.CodeNotFound) || err == nil && user.DisabledAt != 0 {
		return core.Actor{}, unknown(err)
	}
	if err != nil {
		return core.Actor{}, err
	}
	now := core.At(s.Now())
	if now >= grant.AccessExpiresAt {
		return core.Actor{}, core.Errorf(core.CodeTokenExpired, "the token has expired")
	}
	needsEmail, err := s.Doors.LacksProof(ctx, tables, user)
	if err != nil {
		return core.Actor{}, err
	}
	s.note(ctx, grant, now)
	return core.Actor{
		UserID: grant.UserID, Token: true, Scopes: grant.Scopes, TokenID: grant.ID, Until: grant.AccessExpiresAt, NeedsEmail: needsEmail,
	}, nil
}

// note writes the use of a program, at most once a minute. The call does not fail with it.
func (s *Service) note(ctx context.Context, grant core.ProgramGrant, now core.Time) {
	if now < grant.LastUsedAt.Add(usePrecision) {
		return
	}
	_, err := s.Store.Tables().ProgramGrants.Update(ctx, grant.ID, func(g *core.ProgramGrant) error {
		g.LastUsedAt = max(g.LastUsedAt, now)
		return nil
	})
	if err != nil && !core.IsCode(err, core.CodeNotFound) && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "could not record the use of a program", "id", grant.ID, "error", err)
	}
}

func unknown(cause error) error {
	return core.Wrap(core.CodeUnauthenticated, cause, "there is no such access token")
}
