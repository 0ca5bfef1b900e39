package webhooks

import (
	"context"
	"encoding/json"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Delivery is an entry of a webhook's log.
type Delivery struct {
	ID core.ID `json:"id"`
	// MessageID is the header webhook-id that the receiver gets.
	MessageID string             `json:"messageId"`
	Type      core.WebhookEvent  `json:"type"`
	State     core.DeliveryState `json:"state"`
	Attempts  int                `json:"attempts"`
	// NextAttemptAt is nil once the delivery is over.
	NextAttemptAt *core.Time `json:"nextAttemptAt"`
	// The last attempt; AttemptedAt is nil before the first, Status nil without an answer.
	AttemptedAt *core.Time `json:"attemptedAt"`
	Millis      int64      `json:"ms"`
	Status      *int       `json:"status"`
	Response    string     `json:"response"`
	// Error says why the last attempt failed.
	Error core.DeliveryProblem `json:"error"`
	// Payload is the body that is sent.
	Payload   json.RawMessage `json:"payload"`
	CreatedAt core.Time       `json:"createdAt"`
}

func entryOf(delivery core.WebhookDelivery) Delivery {
	entry := Delivery{
		ID: delivery.ID, MessageID: messageName(delivery.MessageID), Type: delivery.Event, State: delivery.State, Attempts: delivery.Attempts,
		NextAttemptAt: since(delivery.DueAt), AttemptedAt: since(delivery.AttemptedAt), Millis: delivery.Millis,
		Response: delivery.Response, Error: delivery.Problem, Payload: json.RawMessage(delivery.Payload), CreatedAt: delivery.CreatedAt,
	}
	if delivery.Status != 0 {
		entry.Status = &delivery.Status
	}
	return entry
}

// Deliveries returns a page of a webhook's log, newest first. It goes back seven days.
func (s *Service) Deliveries(ctx context.Context, by core.Actor, workspace, id core.ID, page core.Page) ([]Delivery, error) {
	tables := s.Store.Tables()
	if _, err := ownIn(ctx, tables, by, core.ActionWebhookRead, workspace, id); err != nil {
		return nil, err
	}
	found, err := tables.WebhookDeliveries.List(ctx, id, page)
	entries := make([]Delivery, len(found))
	for i, delivery := range found {
		entries[i] = entryOf(delivery)
	}
	return entries, err
}

// Test sends a webhook the event webhook.test. A webhook that is disabled has core.CodeConflict.
func (s *Service) Test(ctx context.Context, by core.Actor, workspace, id core.ID) (Delivery, error) {
	return s.send(ctx, by, workspace, id, func(ctx context.Context, tables storage.Tables, webhook core.Webhook) (core.WebhookDelivery, error) {
		event := Event{kind: core.WebhookTest, workspace: workspace, data: test{id, by.UserID}}
		if webhook.ProjectID != nil {
			event.project = *webhook.ProjectID
		}
		now := core.At(s.Now())
		payload, err := event.payload(now)
		return pending(id, core.NewID(), event.kind, payload, now), err
	})
}

// Redeliver sends a delivery that is over once more, as a new entry of the log with the same
// webhook-id. One that is still being tried, and a webhook that is disabled, have core.CodeConflict.
func (s *Service) Redeliver(ctx context.Context, by core.Actor, workspace, id, delivery core.ID) (Delivery, error) {
	return s.send(ctx, by, workspace, id, func(ctx context.Context, tables storage.Tables, webhook core.Webhook) (core.WebhookDelivery, error) {
		former, err := tables.WebhookDeliveries.ByID(ctx, delivery)
		switch {
		case err != nil:
			return former, err
		case former.WebhookID != id:
			return former, core.NotFound("delivery")
		case former.State == core.DeliveryPending:
			return former, core.Errorf(core.CodeConflict, "this delivery is still being tried: wait until it is over")
		}
		return pending(id, former.MessageID, former.Event, former.Payload, core.At(s.Now())), nil
	})
}

func (s *Service) send(ctx context.Context, by core.Actor, workspace, id core.ID, make func(context.Context, storage.Tables, core.Webhook) (core.WebhookDelivery, error)) (Delivery, error) {
	var made core.WebhookDelivery
	err := s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		webhook, err := ownIn(ctx, tables, by, core.ActionWebhookWrite, workspace, id)
		if err != nil {
			return err
		}
		if webhook.Stopped != "" {
			return core.Errorf(core.CodeConflict, "the webhook is disabled: enable it first")
		}
		if made, err = make(ctx, tables, webhook); err != nil {
			return err
		}
		return tables.WebhookDeliveries.Create(ctx, made)
	})
	if err != nil {
		return Delivery{}, err
	}
	s.Queue.Wake()
	return entryOf(made), nil
}
