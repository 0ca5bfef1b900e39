package accounts

import (
	"context"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// SubscriptionDeps is what the use cases around people's own AI subscriptions
// need.
type SubscriptionDeps struct {
	Store  storage.Store
	Sealer identity.Sealer
	// OAuth.Assistant grants the keys.
	OAuth oauth.Providers
	Locks locks.Locker
	Audit *audit.Log
	Now   func() time.Time
}

// Subscriptions has the use cases around people's own AI subscriptions: only its
// owner connects, sees and uses one. Many goroutines may use it.
type Subscriptions struct{ deps SubscriptionDeps }

// NewSubscriptions returns the use cases over their ports.
func NewSubscriptions(deps SubscriptionDeps) *Subscriptions { return &Subscriptions{deps} }

// purposeAssistant is the purpose of an attempt to connect a subscription.
const purposeAssistant = "assistant"

// subscriptionName is the common name of a subscription to GitHub's models.
const subscriptionName = "GitHub Models"

// Begin sends the caller's browser to the vendor, to grant a key. It returns
// core.CodeProviderNotConfigured if the operator did not configure the vendor,
// core.CodeUnavailable if it cannot be reached, and core.CodeInsufficientScope to a
// caller with an API token.
func (s *Subscriptions) Begin(ctx context.Context, by core.Actor) (OAuthRedirect, error) {
	if err := ownAccount(by); err != nil {
		return OAuthRedirect{}, err
	}
	granter, err := s.granter()
	if err != nil {
		return OAuthRedirect{}, err
	}
	made, sealed, err := s.attempts().begin(purposeAssistant, by.UserID, "")
	if err != nil {
		return OAuthRedirect{}, err
	}
	address, err := granter.AuthorizeURL(ctx, made.Attempt)
	return OAuthRedirect{address, sealed}, err
}

// Finish stores the key that the vendor grants, which replaces an earlier one. Its
// codes are those of Begin, and those of OAuthSignIns.FinishOAuth about the attempt and
// the vendor; an attempt that another person began has code core.CodeInvalidState.
// A session that began before the credentials changed has code
// core.CodeUnauthenticated.
func (s *Subscriptions) Finish(ctx context.Context, by core.Actor, back OAuthCallback) (core.Subscription, error) {
	if err := ownAccount(by); err != nil {
		return core.Subscription{}, err
	}
	granter, err := s.granter()
	if err != nil {
		return core.Subscription{}, err
	}
	made, err := s.attempts().redeem(ctx, purposeAssistant, by.UserID, back)
	if err != nil {
		return core.Subscription{}, err
	}
	grant, err := granter.Redeem(ctx, made.Attempt, back.Code)
	if err != nil {
		return core.Subscription{}, err
	}
	now := core.At(s.deps.Now())
	subscription := core.Subscription{
		ID: core.NewID(), Kind: core.SubscriptionGitHub, Name: subscriptionName, UserID: by.UserID, CreatedAt: now,
	}
	if err := s.fill(&subscription, grant); err != nil {
		return core.Subscription{}, err
	}
	return s.store(ctx, by, subscription)
}

func (s *Subscriptions) store(ctx context.Context, by core.Actor, subscription core.Subscription) (stored core.Subscription, err error) {
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) (err error) {
		if err := checkSession(ctx, tables, by); err != nil {
			return err
		}
		if stored, err = tables.Subscriptions.Put(ctx, subscription); err != nil {
			return err
		}
		return s.deps.Audit.RecordPerson(ctx, tables, by, by.UserID, core.AuditSubscriptionAdded, stored.Name)
	})
	return stored, err
}

// List returns the caller's subscriptions, the oldest first. A caller with an API
// token has code core.CodeInsufficientScope.
func (s *Subscriptions) List(ctx context.Context, by core.Actor) ([]core.Subscription, error) {
	if err := ownAccount(by); err != nil {
		return nil, err
	}
	return s.deps.Store.Tables().Subscriptions.List(ctx, by.UserID)
}

// Delete deletes one of the caller's subscriptions with its key. It returns
// core.CodeNotFound for any other, and core.CodeInsufficientScope to a caller with
// an API token.
func (s *Subscriptions) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	return s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := tables.Subscriptions.Delete(ctx, by.UserID, id); err != nil {
			return err
		}
		return s.deps.Audit.RecordPerson(ctx, tables, by, by.UserID, core.AuditSubscriptionRemoved, subscriptionName)
	})
}

func (s *Subscriptions) attempts() attempts {
	return attempts{s.deps.Store, s.deps.Sealer, s.deps.Now}
}

func (s *Subscriptions) granter() (oauth.Granter, error) {
	if s.deps.OAuth.Assistant == nil {
		return nil, core.Errorf(core.CodeProviderNotConfigured, "connecting an AI subscription is not configured here")
	}
	return s.deps.OAuth.Assistant, nil
}

// Bounds of a key: what a header can hold, and how much of its end is shown, if the
// key is at least four times as long.
const (
	maxKeyBytes  = 4096
	keyHintChars = 4
)

// fill stores the vendor's grant in a subscription, sealed. A key that no header
// can hold has code core.CodeInvalidCredentials.
func (s *Subscriptions) fill(subscription *core.Subscription, grant oauth.Grant) error {
	key := grant.AccessToken
	if key == "" || len(key) > maxKeyBytes || strings.ContainsFunc(key, isNotInKey) {
		return core.Errorf(core.CodeInvalidCredentials, "the vendor granted no usable key")
	}
	sealed, err := s.deps.Sealer.Seal([]byte(key), sealedPlace(*subscription, "key"))
	if err != nil {
		return err
	}
	var refresh []byte
	if grant.RefreshToken != "" {
		if refresh, err = s.deps.Sealer.Seal([]byte(grant.RefreshToken), sealedPlace(*subscription, "refresh")); err != nil {
			return err
		}
	}
	subscription.SealedKey, subscription.SealedRefresh = sealed, refresh
	subscription.KeyHint, subscription.ExpiresAt = "", grant.ExpiresAt
	if len(key) >= 4*keyHintChars {
		subscription.KeyHint = "…" + key[len(key)-keyHintChars:]
	}
	subscription.UpdatedAt = core.At(s.deps.Now())
	return nil
}

func isNotInKey(r rune) bool { return r <= ' ' || r >= 0x7f }

// sealedPlace is the context to which a secret is bound: the person, the kind of
// subscription and the kind of secret. A person has one subscription of a kind, and
// its id is not known before it is stored.
func sealedPlace(subscription core.Subscription, what string) string {
	return "subscriptions/" + string(subscription.UserID) + "/" + subscription.Kind + "/" + what
}
