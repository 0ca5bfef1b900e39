package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Webhooks are deleted with their workspace and with their project.
type Webhooks interface {
	Create(ctx context.Context, webhook core.Webhook) error
	ByID(ctx context.Context, id core.ID) (core.Webhook, error)
	// List returns a workspace's webhooks, the oldest first.
	List(ctx context.Context, workspace core.ID) ([]core.Webhook, error)
	// Update works like Users.Update. ID, WorkspaceID, CreatedBy and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Webhook) error) (core.Webhook, error)
	// Delete removes the webhook with its deliveries.
	Delete(ctx context.Context, id core.ID) error
}

// WebhookDeliveries are the durable queue of what is sent to webhooks, and its log. They are
// deleted with their webhook.
type WebhookDeliveries interface {
	Create(ctx context.Context, delivery core.WebhookDelivery) error
	ByID(ctx context.Context, id core.ID) (core.WebhookDelivery, error)
	// List returns a page of a webhook's deliveries, newest first, like Projects.List.
	List(ctx context.Context, webhook core.ID, page core.Page) ([]core.WebhookDelivery, error)
	// Claim takes a lease on the delivery that has been due longest at now, except those of some
	// webhooks: it sets DueAt to until, so that nobody else gets it before then, and increments
	// Attempts. It returns core.CodeNotFound if none is due. No two callers get the same one.
	Claim(ctx context.Context, now, until core.Time, except []core.ID) (core.WebhookDelivery, error)
	// Update works like Users.Update. ID, WebhookID and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.WebhookDelivery) error) (core.WebhookDelivery, error)
	// Prune removes deliveries from before a time.
	Prune(ctx context.Context, before core.Time) error
}
