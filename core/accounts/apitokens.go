package accounts

import (
	"context"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// MaxAPITokens bounds how many API tokens a person has at a time, expired ones
	// included.
	MaxAPITokens = 100
	// MaxAPITokenYears bounds how far ahead an API token may expire.
	MaxAPITokenYears = 10
)

// apiTokenChars is the length of every API token, apiPrefixChars that of
// core.APIToken.Prefix.
const (
	apiTokenChars  = len(core.APITokenPrefix) + 43
	apiPrefixChars = 12
)

// APITokens has the use cases around people's API tokens.
type APITokens struct {
	deps      *Deps
	standings *standings
	uses      *uses
}

// NewAPIToken describes a token to create. Scopes are words for core.ParseScopes;
// ExpiresAt is nil for a token that never expires.
type NewAPIToken struct {
	Name      string
	Scopes    []string
	ExpiresAt *core.Time
}

// Create makes a token that acts for the caller. The text that it returns
// with the record is the token itself, which cannot be read again. It returns
// core.CodeValidationFailed for a field out of bounds, core.CodeConflict beyond
// MaxAPITokens, the codes of core.Actor.CheckPolicies and access.CheckNewKey, core.CodeInsufficientScope to a caller with an API token, and
// core.CodeUnauthenticated for a session that began before the credentials changed.
func (t *APITokens) Create(ctx context.Context, by core.Actor, wanted NewAPIToken) (core.APIToken, string, error) {
	if err := ownAccount(by); err != nil {
		return core.APIToken{}, "", err
	}
	if err := by.CheckPolicies(); err != nil {
		return core.APIToken{}, "", err
	}
	token, err := t.newToken(by, wanted)
	if err != nil {
		return core.APIToken{}, "", err
	}
	secret := core.APITokenPrefix + core.NewSecret()
	token.Prefix, token.TokenHash = secret[:apiPrefixChars], core.HashSecret(secret)
	err = t.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := checkSession(ctx, tables, by); err != nil {
			return err
		}
		if err := access.CheckNewKey(ctx, tables, by); err != nil {
			return err
		}
		existing, err := tables.APITokens.List(ctx, by.UserID)
		if err != nil {
			return err
		}
		if len(existing) >= MaxAPITokens {
			return core.Errorf(core.CodeConflict, "an account can have at most %d API tokens: delete one first", MaxAPITokens)
		}
		if err := tables.APITokens.Create(ctx, token); err != nil {
			return err
		}
		if err := t.tell(ctx, tables, by, token); err != nil {
			return err
		}
		return t.deps.Audit.RecordPerson(ctx, tables, by, by.UserID, core.AuditTokenCreated, inWords(token))
	})
	if err != nil {
		return core.APIToken{}, "", withoutAccount(err)
	}
	t.deps.Mails.Wake()
	return token, secret, nil
}

// tell tells the account's owner of a new token.
func (t *APITokens) tell(ctx context.Context, tables storage.Tables, by core.Actor, token core.APIToken) error {
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil {
		return err
	}
	notice := noticeOf(by, mailer.NoticeTokenCreated)
	notice.Name = token.Name
	return t.deps.Mails.Notify(ctx, tables, user, notice)
}

func (t *APITokens) newToken(by core.Actor, wanted NewAPIToken) (core.APIToken, error) {
	name, err := core.CheckName("name", wanted.Name, core.MaxTokenNameChars)
	if err != nil {
		return core.APIToken{}, err
	}
	scopes, err := core.ParseScopes(wanted.Scopes)
	if err != nil {
		return core.APIToken{}, err
	}
	now := t.deps.Now()
	if at := wanted.ExpiresAt; at != nil && (*at <= core.At(now) || *at > core.At(now.AddDate(MaxAPITokenYears, 0, 0))) {
		return core.APIToken{}, core.Errorf(core.CodeValidationFailed, "expiresAt must be null or a time within the next %d years", MaxAPITokenYears)
	}
	return core.APIToken{
		ID: core.NewID(), Name: name, Scopes: scopes, ExpiresAt: wanted.ExpiresAt, CreatedAt: core.At(now), UserID: by.UserID,
	}, nil
}

// inWords names a token for the audit log.
func inWords(token core.APIToken) string { return token.Name + " (" + token.Prefix + "…)" }

// List returns the caller's tokens, the oldest first. It returns
// core.CodeInsufficientScope to a caller with an API token.
func (t *APITokens) List(ctx context.Context, by core.Actor) ([]core.APIToken, error) {
	if err := ownAccount(by); err != nil {
		return nil, err
	}
	return t.deps.Store.Tables().APITokens.List(ctx, by.UserID)
}

// Delete deletes one of the caller's tokens, which is invalid at once. It
// returns core.CodeNotFound for any other, and core.CodeInsufficientScope to a
// caller with an API token.
func (t *APITokens) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	return t.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		token, err := tables.APITokens.Delete(ctx, by.UserID, id)
		if err != nil {
			return err
		}
		return t.deps.Audit.RecordPerson(ctx, tables, by, by.UserID, core.AuditTokenDeleted, inWords(token))
	})
}

// ownAccount refuses API tokens for actions on the account: a leaked token must not
// create others that outlive its deletion.
func ownAccount(by core.Actor) error {
	return core.RuleOf(core.ActionAccount).Authorize(by, core.Standing{})
}

// program returns the caller of an API token. It asks the database, so that a
// deleted token is invalid at once.
func (t *APITokens) program(ctx context.Context, text string) (core.Actor, error) {
	if len(text) != apiTokenChars {
		return core.Actor{}, unknownToken(nil)
	}
	token, err := t.deps.Store.Tables().APITokens.ByHash(ctx, core.HashSecret(text))
	if core.IsCode(err, core.CodeNotFound) {
		return core.Actor{}, unknownToken(err)
	}
	if err != nil {
		return core.Actor{}, err
	}
	user, err := t.deps.Store.Tables().Users.ByID(ctx, token.UserID)
	if core.IsCode(err, core.CodeNotFound) || err == nil && user.DisabledAt != 0 {
		return core.Actor{}, unknownToken(err)
	}
	if err != nil {
		return core.Actor{}, err
	}
	now := t.deps.now()
	if token.ExpiresAt != nil && now >= *token.ExpiresAt {
		return core.Actor{}, core.Errorf(core.CodeTokenExpired, "the API token has expired")
	}
	t.uses.note(ctx, token.ID, token.LastUsedAt, now)
	actor := core.Actor{UserID: token.UserID, Token: true, Scopes: token.Scopes, TokenID: token.ID}
	if !user.EmailVerified {
		required, err := t.standings.requires(ctx, time.Now())
		if err != nil {
			return core.Actor{}, err
		}
		actor.NeedsEmail = required.email
	}
	if token.ExpiresAt != nil {
		actor.Until = *token.ExpiresAt
	}
	return actor, nil
}

func isAPIToken(text string) bool { return strings.HasPrefix(text, core.APITokenPrefix) }

func unknownToken(cause error) error {
	return core.Wrap(core.CodeUnauthenticated, cause, "there is no such API token")
}
