package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type subscriptions struct {
	records records[core.Subscription]
}

func subscriptionsOf(session conn) records[core.Subscription] {
	return records[core.Subscription]{
		session: session,
		noun:    "subscription",
		table:   func(s *database) *table[core.ID, core.Subscription] { return &s.subscriptions },
		id:      func(s core.Subscription) core.ID { return s.ID },
		copy: func(s core.Subscription) core.Subscription {
			s.ExpiresAt = copyOf(s.ExpiresAt)
			s.SealedKey, s.SealedRefresh = slices.Clone(s.SealedKey), slices.Clone(s.SealedRefresh)
			return s
		},
		pin: func(s *core.Subscription, before core.Subscription) {
			s.ID, s.UserID, s.Kind, s.CreatedAt = before.ID, before.UserID, before.Kind, before.CreatedAt
		},
		check: func(s *database, subscription core.Subscription) error {
			if !s.users.has(subscription.UserID) {
				return core.NotFound("user")
			}
			return nil
		},
	}
}

// Put implements storage.Subscriptions.
func (s subscriptions) Put(ctx context.Context, subscription core.Subscription) (stored core.Subscription, err error) {
	if err := storage.CheckText(subscription); err != nil {
		return stored, err
	}
	err = s.records.session.change(ctx, func(state *database) error {
		next := subscription
		if before, found := state.subscriptionOf(next.UserID, next.Kind); found {
			next.ID, next.CreatedAt = before.ID, before.CreatedAt
		} else if state.subscriptions.has(next.ID) {
			return core.Errorf(core.CodeConflict, "this subscription already exists")
		}
		if err := s.records.put(state, next); err != nil {
			return err
		}
		stored = s.records.copy(next)
		return nil
	})
	return stored, err
}

func (s *database) subscriptionOf(user core.ID, kind string) (core.Subscription, bool) {
	for _, subscription := range s.subscriptions.rows {
		if subscription.UserID == user && subscription.Kind == kind {
			return subscription, true
		}
	}
	return core.Subscription{}, false
}

// List implements storage.Subscriptions.
func (s subscriptions) List(ctx context.Context, user core.ID) ([]core.Subscription, error) {
	ofUser := func(subscription core.Subscription) bool { return subscription.UserID == user }
	return s.records.list(ctx, ofUser, func(a, b core.Subscription) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.Subscriptions.
func (s subscriptions) Update(ctx context.Context, id core.ID, change func(*core.Subscription) error) (core.Subscription, error) {
	return s.records.update(ctx, id, change)
}

// Delete implements storage.Subscriptions.
func (s subscriptions) Delete(ctx context.Context, user, id core.ID) error {
	return s.records.session.change(ctx, func(state *database) error {
		found, err := s.records.in(state, id)
		if err != nil {
			return err
		}
		if found.UserID != user {
			return core.NotFound("subscription")
		}
		delete(state.subscriptions.edit(state), id)
		return nil
	})
}
