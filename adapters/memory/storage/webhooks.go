package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type webhooks struct{ records records[core.Webhook] }

func webhooksOf(session conn) records[core.Webhook] {
	return records[core.Webhook]{
		session: session,
		noun:    "webhook",
		table:   func(s *database) *table[core.ID, core.Webhook] { return &s.webhooks },
		id:      func(w core.Webhook) core.ID { return w.ID },
		copy: func(w core.Webhook) core.Webhook {
			w.ProjectID, w.Events = copyOf(w.ProjectID), slices.Clone(w.Events)
			w.Sealed, w.SealedFormer = slices.Clone(w.Sealed), slices.Clone(w.SealedFormer)
			return w
		},
		pin: func(w *core.Webhook, before core.Webhook) {
			w.ID, w.WorkspaceID, w.CreatedBy, w.CreatedAt = before.ID, before.WorkspaceID, before.CreatedBy, before.CreatedAt
		},
		check: func(s *database, w core.Webhook) error {
			if !s.workspaces.has(w.WorkspaceID) {
				return core.NotFound("workspace")
			}
			if w.ProjectID != nil && !s.projects.has(*w.ProjectID) {
				return core.NotFound("project")
			}
			return nil
		},
	}
}

// Create implements storage.Webhooks.
func (w webhooks) Create(ctx context.Context, webhook core.Webhook) error {
	return w.records.create(ctx, webhook)
}

// ByID implements storage.Webhooks.
func (w webhooks) ByID(ctx context.Context, id core.ID) (core.Webhook, error) {
	return w.records.byID(ctx, id)
}

// List implements storage.Webhooks.
func (w webhooks) List(ctx context.Context, workspace core.ID) ([]core.Webhook, error) {
	return w.records.list(ctx, func(webhook core.Webhook) bool { return webhook.WorkspaceID == workspace }, func(a, b core.Webhook) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.Webhooks.
func (w webhooks) Update(ctx context.Context, id core.ID, change func(*core.Webhook) error) (core.Webhook, error) {
	return w.records.update(ctx, id, change)
}

// Delete implements storage.Webhooks.
func (w webhooks) Delete(ctx context.Context, id core.ID) error {
	return w.records.delete(ctx, id, func(state *database, id core.ID) {
		state.dropWebhooks(func(webhook core.Webhook) bool { return webhook.ID == id })
	})
}

// dropWebhooks removes the webhooks that match, with their deliveries.
func (s *database) dropWebhooks(match func(core.Webhook) bool) {
	for _, gone := range s.webhooks.drop(s, match) {
		s.deliveries.drop(s, func(d core.WebhookDelivery) bool { return d.WebhookID == gone.ID })
	}
}

type webhookDeliveries struct {
	records records[core.WebhookDelivery]
}

func webhookDeliveriesOf(session conn) records[core.WebhookDelivery] {
	return records[core.WebhookDelivery]{
		session: session,
		noun:    "delivery",
		table:   func(s *database) *table[core.ID, core.WebhookDelivery] { return &s.deliveries },
		id:      func(d core.WebhookDelivery) core.ID { return d.ID },
		copy:    func(d core.WebhookDelivery) core.WebhookDelivery { return d },
		pin: func(d *core.WebhookDelivery, before core.WebhookDelivery) {
			d.ID, d.WebhookID, d.CreatedAt = before.ID, before.WebhookID, before.CreatedAt
		},
		check: func(s *database, d core.WebhookDelivery) error {
			if !s.webhooks.has(d.WebhookID) {
				return core.NotFound("webhook")
			}
			return nil
		},
	}
}

// Create implements storage.WebhookDeliveries.
func (d webhookDeliveries) Create(ctx context.Context, delivery core.WebhookDelivery) error {
	return d.records.create(ctx, delivery)
}

// ByID implements storage.WebhookDeliveries.
func (d webhookDeliveries) ByID(ctx context.Context, id core.ID) (core.WebhookDelivery, error) {
	return d.records.byID(ctx, id)
}

// List implements storage.WebhookDeliveries.
func (d webhookDeliveries) List(ctx context.Context, webhook core.ID, page core.Page) ([]core.WebhookDelivery, error) {
	found, err := d.records.list(ctx, func(delivery core.WebhookDelivery) bool {
		return delivery.WebhookID == webhook && isBehind(delivery.CreatedAt, delivery.ID, page.Before)
	}, func(a, b core.WebhookDelivery) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(len(found), max(0, page.Limit))], err
}

// Claim implements storage.WebhookDeliveries.
func (d webhookDeliveries) Claim(ctx context.Context, now, until core.Time, except []core.ID) (core.WebhookDelivery, error) {
	due := func(delivery core.WebhookDelivery) (core.Time, bool) {
		return delivery.DueAt, delivery.DueAt > 0 && !slices.Contains(except, delivery.WebhookID)
	}
	return d.records.claimDue(ctx, now, due, func(delivery *core.WebhookDelivery) {
		delivery.DueAt = until
		delivery.Attempts++
	})
}

// Update implements storage.WebhookDeliveries.
func (d webhookDeliveries) Update(ctx context.Context, id core.ID, change func(*core.WebhookDelivery) error) (core.WebhookDelivery, error) {
	return d.records.update(ctx, id, change)
}

// Prune implements storage.WebhookDeliveries.
func (d webhookDeliveries) Prune(ctx context.Context, before core.Time) error {
	return d.records.session.change(ctx, func(state *database) error {
		state.deliveries.drop(state, func(delivery core.WebhookDelivery) bool { return delivery.CreatedAt < before })
		return nil
	})
}
