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
	// renewAhead is how long before its end a key is renewed, so that a call that
	// begins with it does not find it run out. A key of a short life is renewed when
	// half of it is over.
	renewAhead = 2 * time.Minute
	// renewTime bounds a renewal. It is not given up when the caller leaves, because
	// the vendor may have changed the token already.
	renewTime = 30 * time.Second
)

// Check returns core.CodeNoProvider for a person without a subscription.
func (s *Subscriptions) Check(ctx context.Context, person core.ID) error {
	_, err := s.of(ctx, person)
	return err
}

// Key returns the person's key, renewed when it is about to run out: once, however
// many calls want it at a time. It has code core.CodeNoProvider for a person
// without a subscription, core.CodeModelUnavailable for one that has to be
// connected again, and core.CodeUnavailable when the vendor did not answer.
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

// Refuse takes note that the vendor did not accept a key: it counts as run out and
// is not renewed, so that nothing is tried with it again. It returns what to tell
// the person, with code core.CodeModelUnavailable. A key that was replaced in the
// meantime is forgotten already.
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

// lasts reports whether the key is good for at least so long.
func (s *Subscriptions) lasts(subscription core.Subscription, least time.Duration) bool {
	return subscription.ExpiresAt == nil || core.At(s.deps.Now()).Add(least) < *subscription.ExpiresAt
}

// ahead is how long before its end the subscription's key is renewed.
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

// renew gets a fresh key. Refresh tokens often work once only, so the calls that
// want one stand in a line, and all but the first find the work done.
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
	// The token works once, and the next holder of a lock that was lost has spent it.
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

// replace stores a renewed key, unless the person has connected anew meanwhile.
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

// end makes a subscription one that has to be connected again, and returns the
// error that says so.
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

// change alters the subscription as long as its key is the one that was found.
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
