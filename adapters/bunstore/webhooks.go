package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// webhookRow keeps Events as JSON.
type webhookRow struct {
	bun.BaseModel `bun:"table:webhooks,alias:wh"`
	core.Webhook
}

func (r webhookRow) webhook() core.Webhook { return r.Webhook }

type webhooks struct{ session }

// Create implements storage.Webhooks.
func (w webhooks) Create(ctx context.Context, webhook core.Webhook) error {
	if err := storage.CheckText(webhook); err != nil {
		return err
	}
	return insert(ctx, w.session, "webhook", &webhookRow{Webhook: webhook})
}

// ByID implements storage.Webhooks.
func (w webhooks) ByID(ctx context.Context, id core.ID) (core.Webhook, error) {
	row, err := find[webhookRow](ctx, w.session, "webhook", "id", string(id))
	return row.webhook(), err
}

// List implements storage.Webhooks.
func (w webhooks) List(ctx context.Context, workspace core.ID) ([]core.Webhook, error) {
	rows, err := list[webhookRow](ctx, w.session, "workspace_id", string(workspace), "wh.created_at, wh.id")
	return each(rows, webhookRow.webhook), err
}

// Update implements storage.Webhooks.
func (w webhooks) Update(ctx context.Context, id core.ID, change func(*core.Webhook) error) (core.Webhook, error) {
	row, err := update(ctx, w.session, "webhook", id, func(row *webhookRow) error {
		before := row.Webhook
		if err := change(&row.Webhook); err != nil {
			return err
		}
		row.ID, row.WorkspaceID, row.CreatedBy, row.CreatedAt = before.ID, before.WorkspaceID, before.CreatedBy, before.CreatedAt
		return storage.CheckText(row.Webhook)
	})
	return row.webhook(), err
}

// Delete implements storage.Webhooks.
func (w webhooks) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, w.session, "webhook", "webhooks", id)
}

type deliveryRow struct {
	bun.BaseModel `bun:"table:webhook_deliveries,alias:wd"`
	core.WebhookDelivery
}

func (r deliveryRow) delivery() core.WebhookDelivery { return r.WebhookDelivery }

type webhookDeliveries struct{ session }

// Create implements storage.WebhookDeliveries.
func (d webhookDeliveries) Create(ctx context.Context, delivery core.WebhookDelivery) error {
	if err := storage.CheckText(delivery); err != nil {
		return err
	}
	return insert(ctx, d.session, "delivery", &deliveryRow{WebhookDelivery: delivery})
}

// ByID implements storage.WebhookDeliveries.
func (d webhookDeliveries) ByID(ctx context.Context, id core.ID) (core.WebhookDelivery, error) {
	row, err := find[deliveryRow](ctx, d.session, "delivery", "id", string(id))
	return row.delivery(), err
}

// List implements storage.WebhookDeliveries.
func (d webhookDeliveries) List(ctx context.Context, webhook core.ID, page core.Page) ([]core.WebhookDelivery, error) {
	if page.Limit < 1 || page.Before != nil && storage.CheckText(*page.Before) != nil {
		return nil, nil
	}
	var rows []deliveryRow
	err := d.read(ctx, "delivery", func(ctx context.Context, db bun.IDB) error {
		query := db.NewSelect().Model(&rows).Where("wd.webhook_id = ?", webhook)
		if page.Before != nil {
			query = query.Where("(wd.created_at, wd.id) < (?, ?)", page.Before.CreatedAt, page.Before.ID)
		}
		return query.OrderExpr("wd.created_at DESC, wd.id DESC").Limit(int64(page.Limit)).Scan(ctx)
	})
	return each(rows, deliveryRow.delivery), err
}

// Claim implements storage.WebhookDeliveries.
func (d webhookDeliveries) Claim(ctx context.Context, now, until core.Time, except []core.ID) (core.WebhookDelivery, error) {
	// The id "" matches nothing, so the list is never empty.
	others := append([]core.ID{""}, except...)
	var row deliveryRow
	err := d.exec(ctx, "delivery", func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("UPDATE webhook_deliveries SET due_at = ?, attempts = attempts + 1 WHERE id = ("+
			"SELECT id FROM webhook_deliveries WHERE due_at > 0 AND due_at <= ? AND webhook_id NOT IN (?) ORDER BY due_at, id LIMIT 1"+
			d.speaks().skipLocked()+") RETURNING *", until, now, bun.List(others)).Scan(ctx, &row)
	})
	return row.delivery(), err
}

// Update implements storage.WebhookDeliveries.
func (d webhookDeliveries) Update(ctx context.Context, id core.ID, change func(*core.WebhookDelivery) error) (core.WebhookDelivery, error) {
	row, err := update(ctx, d.session, "delivery", id, func(row *deliveryRow) error {
		before := row.WebhookDelivery
		if err := change(&row.WebhookDelivery); err != nil {
			return err
		}
		row.ID, row.WebhookID, row.CreatedAt = before.ID, before.WebhookID, before.CreatedAt
		return storage.CheckText(row.WebhookDelivery)
	})
	return row.delivery(), err
}

// Prune implements storage.WebhookDeliveries.
func (d webhookDeliveries) Prune(ctx context.Context, before core.Time) error {
	return removeWhere(ctx, d.session, "webhook_deliveries", "created_at < ?", before)
}
