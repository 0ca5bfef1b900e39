package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type subscriptionRow struct {
	bun.BaseModel `bun:"table:subscriptions,alias:s"`
	core.Subscription
	ExpiresAt *int64
}

func rowOfSubscription(subscription core.Subscription) *subscriptionRow {
	return &subscriptionRow{Subscription: subscription, ExpiresAt: (*int64)(subscription.ExpiresAt)}
}

func (s subscriptionRow) subscription() core.Subscription {
	s.Subscription.ExpiresAt = (*core.Time)(s.ExpiresAt)
	return s.Subscription
}

type subscriptions struct{ session }

// Put implements storage.Subscriptions.
func (s subscriptions) Put(ctx context.Context, subscription core.Subscription) (core.Subscription, error) {
	if err := storage.CheckText(subscription); err != nil {
		return core.Subscription{}, err
	}
	var stored subscriptionRow
	err := s.exec(ctx, "subscription", func(ctx context.Context, db bun.IDB) error {
		return db.NewInsert().Model(rowOfSubscription(subscription)).
			On("CONFLICT (user_id, kind) DO UPDATE").
			Set("name = EXCLUDED.name").Set("key_hint = EXCLUDED.key_hint").
			Set("sealed_key = EXCLUDED.sealed_key").Set("sealed_refresh = EXCLUDED.sealed_refresh").
			Set("expires_at = EXCLUDED.expires_at").Set("updated_at = EXCLUDED.updated_at").
			Returning("*").
			Scan(ctx, &stored)
	})
	if err != nil {
		return core.Subscription{}, err
	}
	return stored.subscription(), nil
}

// List implements storage.Subscriptions.
func (s subscriptions) List(ctx context.Context, user core.ID) ([]core.Subscription, error) {
	rows, err := list[subscriptionRow](ctx, s.session, "user_id", string(user), "s.created_at, s.id")
	return each(rows, subscriptionRow.subscription), err
}

// Update implements storage.Subscriptions.
func (s subscriptions) Update(ctx context.Context, id core.ID, change func(*core.Subscription) error) (core.Subscription, error) {
	row, err := update(ctx, s.session, "subscription", id, func(row *subscriptionRow) error {
		before := row.subscription()
		changed := before
		if err := change(&changed); err != nil {
			return err
		}
		changed.ID, changed.UserID, changed.Kind, changed.CreatedAt = before.ID, before.UserID, before.Kind, before.CreatedAt
		*row = *rowOfSubscription(changed)
		return storage.CheckText(changed)
	})
	return row.subscription(), err
}

// Delete implements storage.Subscriptions.
func (s subscriptions) Delete(ctx context.Context, user, id core.ID) error {
	return s.exec(ctx, "subscription", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewDelete().Table("subscriptions").Where("id = ? AND user_id = ?", id, user).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "subscription")
	})
}
