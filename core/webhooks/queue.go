package webhooks

import (
	"context"
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/storage"
)

// retryFor is how long the delivery of an event is tried.
const retryFor = 24 * time.Hour

// Queue is the durable queue of deliveries that a Worker sends. Many goroutines may use it. A nil
// queue stores nothing.
type Queue struct {
	store storage.Store
	now   func() time.Time
	log   *slog.Logger
	wake  ctxsync.Signal
}

// NewQueue returns the queue.
func NewQueue(store storage.Store, now func() time.Time, log *slog.Logger) *Queue {
	return &Queue{store, now, log, ctxsync.NewSignal()}
}

// Add stores events for the webhooks that want them, in the caller's transaction. After the commit,
// the caller may call Wake to have them sent at once.
func (q *Queue) Add(ctx context.Context, tables storage.Tables, events ...Event) error {
	if q == nil {
		return nil
	}
	for _, event := range events {
		event, wanting, err := wanting(ctx, tables, event)
		if err != nil {
			return err
		}
		if len(wanting) == 0 {
			continue
		}
		now, message := core.At(q.now()), core.NewID()
		payload, err := event.payload(now)
		if err != nil {
			return err
		}
		for _, webhook := range wanting {
			if err := tables.WebhookDeliveries.Create(ctx, pending(webhook.ID, message, event.kind, payload, now)); err != nil {
				return err
			}
		}
	}
	return nil
}

// pending is a delivery that is due at once.
func pending(webhook, message core.ID, kind core.WebhookEvent, payload string, now core.Time) core.WebhookDelivery {
	return core.WebhookDelivery{
		ID: core.NewID(), WebhookID: webhook, MessageID: message, Event: kind, Payload: payload,
		State: core.DeliveryPending, DueAt: now, ExpiresAt: now.Add(retryFor), CreatedAt: now,
	}
}

// wanting returns the webhooks that are to be sent an event, and the event with its workspace. An event
// of a project that is gone has none.
func wanting(ctx context.Context, tables storage.Tables, event Event) (Event, []core.Webhook, error) {
	if event.workspace == "" {
		project, err := tables.Projects.ByID(ctx, event.project)
		if core.IsCode(err, core.CodeNotFound) {
			return event, nil, nil
		}
		if err != nil {
			return event, nil, err
		}
		ofProject, sent := event.of(project)
		if !sent {
			return event, nil, nil
		}
		event = ofProject
	}
	all, err := tables.Webhooks.List(ctx, event.workspace)
	var found []core.Webhook
	for _, webhook := range all {
		if webhook.Wants(event.kind, event.project) {
			found = append(found, webhook)
		}
	}
	return event, found, err
}

// Tell is Add in a transaction of its own, for what happened outside of the database. The event tells
// of something that cannot be undone, so a failure is only logged.
func (q *Queue) Tell(ctx context.Context, events ...Event) {
	if q == nil || len(events) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	_, found, err := wanting(ctx, q.store.Tables(), events[0])
	if err == nil && len(found) == 0 {
		return
	}
	err = q.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error { return q.Add(ctx, tables, events...) })
	if err != nil {
		q.log.ErrorContext(ctx, "could not store an event for webhooks", "event", events[0].kind, "project", events[0].project, "error", err)
		return
	}
	q.Wake()
}

// Wake makes the worker of this process look for deliveries at once. It never waits.
func (q *Queue) Wake() {
	if q != nil {
		q.wake.Send()
	}
}
