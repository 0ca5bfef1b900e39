package accounts

import (
	"bytes"
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/oauth"
)

const (
	// renewAhead is how long before its expiry a key is renewed, so that it does not
	// expire during a call. A short-lived key is renewed after half of its life.
	renewAhead = 2 * time.Minute
	// renewTime bounds a renewal. It continues after the caller has left, because the
	// vendor may have replaced the token already.
	renewTime = 30 * time.Second
)

// Check returns core.CodeNoProvider if the person has no subscription.
func (s *Subscriptions) Check(ctx context.Context, person core.ID) error {
	_, err := s.of(ctx, person)
	return err
}

// Key returns the person's key. It renews a key that is about to expire, as a single
// flight: once for all concurrent calls. It returns core.CodeNoProvider without a
// subscription, core.CodeModelUnavailable if the person has to connect it again, and
// core.CodeUnavailable if the vendor did not answer.
func (s *Subscriptions) Key(ctx context.Context, person core.ID) (string, error) {
	found, err := s.of(ctx, person)
	if err != nil {
		return "", err
	}
	if s.lasts(found, ahead(found)) {
		return s.unseal(found)
	}
	return s.renew(ctx, found)
}

// Refuse records that the vendor did not accept a key: it counts as expired and is
// not renewed, so that it is never tried again. It returns the error for the person,
// with code core.CodeModelUnavailable. It ignores a key that has been replaced
// meanwhile.
func (s *Subscriptions) Refuse(ctx context.Context, person core.ID, key string) error {
	found, err := s.of(ctx, person)
	if err != nil {
		return err
	}
	current, err := s.unseal(found)
	if err != nil {
		return err
	}
	if current != key {
		return connectAgain(nil)
	}
	return s.end(ctx, found, nil)
}

// of returns the person's subscription.
func (s *Subscriptions) of(ctx context.Context, person core.ID) (core.Subscription, error) {
	all, err := s.deps.Store.Tables().Subscriptions.List(ctx, person)
	if err != nil {
		return core.Subscription{}, err
	}
	for _, subscription := range all {
		if subscription.Kind == core.SubscriptionGitHub && s.deps.OAuth.Assistant != nil {
			return subscription, nil
		}
	}
	return core.Subscription{}, core.Errorf(core.CodeNoProvider, "no AI subscription of your own is connected: connect one at /settings/ai")
}

// lasts reports whether the key is valid for at least that long.
func (s *Subscriptions) lasts(subscription core.Subscription, least time.Duration) bool {
	return subscription.ExpiresAt == nil || core.At(s.deps.Now()).Add(least) < *subscription.ExpiresAt
}

// ahead is how long before its expiry the subscription's key is renewed.
func ahead(subscription core.Subscription) time.Duration {
	if subscription.ExpiresAt == nil {
		return 0
	}
	life := subscription.ExpiresAt.Std().Sub(subscription.UpdatedAt.Std())
	return min(renewAhead, life/2)
}

func (s *Subscriptions) unseal(subscription core.Subscription) (string, error) {
	key, err := s.deps.Sealer.Open(subscription.SealedKey, sealedPlace(subscription, "key"))
	return string(key), err
}

// renew gets a fresh key. Refresh tokens often work only once, so calls wait for each
// other, and all but the first find the key renewed (single flight).
func (s *Subscriptions) renew(ctx context.Context, seen core.Subscription) (string, error) {
	ctx, unlock, err := s.deps.Locks.Lock(ctx, seen.ID)
	if err != nil {
		return "", err
	}
	defer unlock()
	found, err := s.of(ctx, seen.UserID)
	if err != nil {
		return "", err
	}
	if s.lasts(found, ahead(found)) {
		return s.unseal(found)
	}
	if found.SealedRefresh == nil {
		if s.lasts(found, 0) {
			return s.unseal(found)
		}
		return "", connectAgain(nil)
	}
	return s.redeemRefresh(ctx, found)
}

func (s *Subscriptions) redeemRefresh(ctx context.Context, found core.Subscription) (string, error) {
	refresh, err := s.deps.Sealer.Open(found.SealedRefresh, sealedPlace(found, "refresh"))
	if err != nil {
		return "", err
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
	defer cancel()
	// The token works only once: if the lock was lost, its next holder has spent it.
	if err := locks.Check(bounded); err != nil {
		return "", err
	}
	grant, err := s.deps.OAuth.Assistant.Refresh(bounded, string(refresh))
	switch {
	case core.IsCode(err, core.CodeInvalidCredentials):
		return "", s.end(bounded, found, err)
	case err != nil && s.lasts(found, 0):
		return s.unseal(found)
	case err != nil:
		return "", core.Wrap(core.CodeUnavailable, err, "your AI subscription cannot be renewed at the moment: try again in a minute")
	}
	return s.replace(bounded, found, grant)
}

// replace stores a renewed key, unless the person has connected again meanwhile.
func (s *Subscriptions) replace(ctx context.Context, found core.Subscription, grant oauth.Grant) (string, error) {
	stored, err := s.change(ctx, found, func(subscription *core.Subscription) error { return s.fill(subscription, grant) })
	if core.IsCode(err, core.CodeInvalidCredentials) {
		return "", s.end(ctx, found, err)
	}
	if err != nil {
		return "", err
	}
	return s.unseal(stored)
}

// end marks a subscription as one that must be connected again, and returns the error
// that says so.
func (s *Subscriptions) end(ctx context.Context, found core.Subscription, cause error) error {
	now := core.At(s.deps.Now())
	_, err := s.change(ctx, found, func(subscription *core.Subscription) error {
		subscription.ExpiresAt, subscription.SealedRefresh, subscription.UpdatedAt = &now, nil, now
		return nil
	})
	if err != nil {
		return err
	}
	return connectAgain(cause)
}

// change alters the subscription if its key is still the one that was found
// (optimistic locking).
func (s *Subscriptions) change(ctx context.Context, found core.Subscription, alter func(*core.Subscription) error) (core.Subscription, error) {
	stored, err := s.deps.Store.Tables().Subscriptions.Update(ctx, found.ID, func(subscription *core.Subscription) error {
		if !bytes.Equal(subscription.SealedKey, found.SealedKey) {
			return nil
		}
		return alter(subscription)
	})
	if core.IsCode(err, core.CodeNotFound) {
		return stored, core.Wrap(core.CodeNoProvider, err, "your AI subscription was removed")
	}
	return stored, err
}

func connectAgain(cause error) error {
	return core.Wrap(core.CodeModelUnavailable, cause, "your AI subscription is no longer accepted: connect it again at /settings/ai")
}
