package programs

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Lifetimes of tokens. A refresh token that is used begins another period.
const (
	AccessLifetime  = time.Hour
	RefreshLifetime = 30 * 24 * time.Hour
)

// The beginnings of codes and tokens.
const (
	codePrefix    = "atc_"
	refreshPrefix = "atr_"
	// AccessPrefix begins every access token.
	AccessPrefix = "atm_"
	secretChars  = 43
)

// Exchange is a request for tokens, by a code or by a refresh token.
type Exchange struct {
	GrantType, ClientID, Resource string
	// Code, Redirect and Verifier are those of a code.
	Code, Redirect, Verifier string
	// RefreshToken and Scope are those of a refresh.
	RefreshToken, Scope string
	// IP is the address that the request came from, for the audit log.
	IP string
}

// Tokens are those of a program.
type Tokens struct {
	Access, Refresh string
	Lifetime        time.Duration
	Scopes          []core.Scope
}

// Exchange gives a program tokens. What the program did wrong is a Refusal.
func (s *Service) Exchange(ctx context.Context, x Exchange) (Tokens, error) {
	if x.Resource != "" && x.Resource != s.Resource() {
		return Tokens{}, refuse(InvalidTarget, "resource must be "+s.Resource())
	}
	var check func(ctx context.Context, tables storage.Tables, grant core.ProgramGrant) (verdict, error)
	secret := x.Code
	prefix := codePrefix
	switch x.GrantType {
	case "authorization_code":
		check = x.checkCode
	case "refresh_token":
		check, secret, prefix = x.checkRefresh, x.RefreshToken, refreshPrefix
	default:
		return Tokens{}, refuse(UnsupportedGrantType, "grant_type must be authorization_code or refresh_token")
	}
	family, is := familyOf(secret, prefix)
	if !is {
		return Tokens{}, refuse(InvalidGrant, "there is no such code or refresh token")
	}
	var tokens Tokens
	var refusal error
	err := s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		tokens, refusal = Tokens{}, nil
		grant, err := tables.ProgramGrants.ByHash(ctx, core.HashSecret(family))
		if core.IsCode(err, core.CodeNotFound) {
			refusal = refuse(InvalidGrant, "there is no such code or refresh token")
			return nil
		}
		if err != nil {
			return err
		}
		found, err := check(ctx, tables, grant)
		if err != nil {
			return err
		}
		if refusal = found.refusal; refusal != nil {
			if !found.ends {
				return nil
			}
			return s.end(ctx, tables, grant, x.IP)
		}
		tokens, err = s.renew(ctx, tables, grant, family)
		return err
	})
	if err != nil {
		return Tokens{}, err
	}
	return tokens, refusal
}

// verdict says why a program gets no tokens, and whether the grant ends, because somebody has what
// is not theirs.
type verdict struct {
	refusal error
	ends    bool
}

func ending(text string) verdict { return verdict{refuse(InvalidGrant, text), true} }

// checkCode judges the use of a code. Whatever is wrong ends the grant: a code that reached somebody
// else must not be tried again.
func (x Exchange) checkCode(ctx context.Context, tables storage.Tables, grant core.ProgramGrant) (verdict, error) {
	hashed := sha256.Sum256([]byte(x.Verifier))
	challenge := base64.RawURLEncoding.EncodeToString(hashed[:])
	switch {
	case !isSame(grant.CodeHash, core.HashSecret(x.Code)):
		return ending("the code has been used already: its tokens are revoked"), nil
	case x.ClientID != grant.ClientID:
		return ending("the code is another program's"), nil
	case x.Redirect != grant.Redirect:
		return ending("redirect_uri is not that of the request"), nil
	case len(x.Verifier) < secretChars || len(x.Verifier) > 128 || !isSame(challenge, grant.Challenge):
		return ending("code_verifier does not match the challenge"), nil
	}
	if err := checkSession(ctx, tables, grant); core.IsCode(err, core.CodeUnauthenticated) {
		return ending("the session in which the code was given has ended"), nil
	} else if err != nil {
		return verdict{}, err
	}
	return x.checkPerson(ctx, tables, grant)
}

// checkRefresh judges the use of a refresh token.
func (x Exchange) checkRefresh(ctx context.Context, tables storage.Tables, grant core.ProgramGrant) (verdict, error) {
	switch {
	case grant.IsPending() || !isSame(grant.RefreshHash, core.HashSecret(x.RefreshToken)):
		return ending("the refresh token has been used already: its tokens are revoked"), nil
	case x.ClientID != "" && x.ClientID != grant.ClientID:
		return verdict{refusal: refuse(InvalidGrant, "the refresh token is another program's")}, nil
	case x.Scope != "" && !isExactly(x.Scope, grant.Scopes):
		return verdict{refusal: refuse(InvalidScope, "scope must be what the person allowed, or absent")}, nil
	}
	return x.checkPerson(ctx, tables, grant)
}

// checkPerson refuses what has expired, and what belongs to people who are disabled.
func (x Exchange) checkPerson(ctx context.Context, tables storage.Tables, grant core.ProgramGrant) (verdict, error) {
	user, err := tables.Users.ByID(ctx, grant.UserID)
	if err != nil {
		return verdict{}, err
	}
	if user.DisabledAt != 0 {
		return verdict{refusal: refuse(InvalidGrant, "the account is disabled")}, nil
	}
	return verdict{}, nil
}

// isExactly reports whether a text names the scopes and no others.
func isExactly(text string, scopes []core.Scope) bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(text) {
		words[word] = true
	}
	for _, scope := range scopes {
		if !words[string(scope)] {
			return false
		}
	}
	return len(words) == len(scopes)
}

// renew replaces the secrets of a grant. An expired grant is refused.
func (s *Service) renew(ctx context.Context, tables storage.Tables, grant core.ProgramGrant, family string) (Tokens, error) {
	now := core.At(s.Now())
	if now >= grant.ExpiresAt {
		return Tokens{}, refuse(InvalidGrant, "the code or refresh token has expired")
	}
	tokens := Tokens{
		Access: AccessPrefix + core.NewSecret(), Refresh: refreshPrefix + family + core.NewSecret(), Lifetime: AccessLifetime, Scopes: grant.Scopes,
	}
	_, err := tables.ProgramGrants.Update(ctx, grant.ID, func(g *core.ProgramGrant) error {
		g.CodeHash, g.RefreshHash, g.AccessHash = "", core.HashSecret(tokens.Refresh), core.HashSecret(tokens.Access)
		g.AccessExpiresAt, g.ExpiresAt = now.Add(AccessLifetime), now.Add(RefreshLifetime)
		return nil
	})
	return tokens, err
}

// end removes a grant whose secrets somebody else has.
func (s *Service) end(ctx context.Context, tables storage.Tables, grant core.ProgramGrant, ip string) error {
	if _, err := tables.ProgramGrants.Delete(ctx, grant.UserID, grant.ID); err != nil {
		return err
	}
	return s.Audit.RecordPerson(ctx, tables, core.Actor{IP: ip}, grant.UserID, core.AuditProgramReused, inWords(grant))
}

// Revoke ends the grant of an access or refresh token (RFC 7009). Anything else is no error.
func (s *Service) Revoke(ctx context.Context, token, clientID, ip string) error {
	hash := core.HashSecret(token)
	family, isRefresh := familyOf(token, refreshPrefix)
	if isRefresh {
		hash = core.HashSecret(family)
	}
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		grant, err := tables.ProgramGrants.ByHash(ctx, hash)
		if core.IsCode(err, core.CodeNotFound) {
			return nil
		}
		if err != nil || clientID != "" && clientID != grant.ClientID || !isRefresh && !IsAccess(token) {
			return err
		}
		if _, err := tables.ProgramGrants.Delete(ctx, grant.UserID, grant.ID); err != nil {
			return err
		}
		return s.Audit.RecordPerson(ctx, tables, core.Actor{IP: ip}, grant.UserID, core.AuditProgramDisconnected, inWords(grant))
	})
}

// familyOf returns the part of a code or refresh token that all of its grant share.
func familyOf(secret, prefix string) (family string, is bool) {
	rest, is := strings.CutPrefix(secret, prefix)
	if !is || len(rest) != 2*secretChars {
		return "", false
	}
	return rest[:secretChars], true
}

func isSame(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
