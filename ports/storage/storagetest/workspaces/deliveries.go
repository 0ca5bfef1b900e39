package workspaces

import (
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func deliveryClauses() []clause {
	return []clause{
		{"a delivery comes back as it was stored", deliveryComesBack},
		{"a delivery that is not there is not found", deliveryNotFound},
		{"deliveries are listed newest first, in pages", deliveryPages},
		{"the delivery that has been due longest is claimed first", deliveryDue},
		{"a claim leaves out the deliveries of some webhooks", deliveryExcept},
		{"of parallel claims of a few deliveries each gets another or none", deliveryClaimsInParallel},
		{"a claim that is rolled back leaves the delivery as it was", deliveryRolledBack},
		{"an update of a delivery keeps what cannot change", deliveryUpdate},
		{"deliveries go with their webhook", deliveriesOfWebhook},
		{"old deliveries are pruned", deliveriesPruned},
		{"no call on deliveries outlives its context", deliveriesEnded},
	}
}

func (s testCase) newDelivery(webhook core.ID) core.WebhookDelivery {
	at := s.Now()
	return core.WebhookDelivery{
		ID: core.NewID(), WebhookID: webhook, MessageID: core.NewID(), Event: core.WebhookCheckFailed,
		Payload: "{}", State: core.DeliveryPending, DueAt: at, ExpiresAt: at, CreatedAt: at,
	}
}

func (s testCase) delivery(webhook core.ID, alter ...func(*core.WebhookDelivery)) core.WebhookDelivery {
	s.Helper()
	delivery := s.newDelivery(webhook)
	for _, alter := range alter {
		alter(&delivery)
	}
	s.Must(s.WebhookDeliveries.Create(s.Context(), delivery))
	return delivery
}

func dueAt(at core.Time) func(*core.WebhookDelivery) {
	return func(d *core.WebhookDelivery) { d.DueAt = at }
}

func (s testCase) wantNoDelivery(now core.Time, except ...core.ID) {
	s.Helper()
	_, err := s.WebhookDeliveries.Claim(s.Context(), now, now+1, except)
	s.WantCode(err, core.CodeNotFound)
}

func deliveryComesBack(s testCase) {
	webhook := s.webhook(s.Workspace().ID)
	full := s.newDelivery(webhook.ID)
	full.Payload, full.State, full.Attempts, full.DueAt = `{"a":"\"it's % 東京"}`, core.DeliveryFailed, 4, 0
	full.AttemptedAt, full.Millis, full.Status, full.Response, full.Problem = s.Now(), 1234, 500, "oh \\ no", "it's %"
	for _, delivery := range []core.WebhookDelivery{full, s.newDelivery(webhook.ID)} {
		s.Must(s.WebhookDeliveries.Create(s.Context(), delivery))
		got, err := s.WebhookDeliveries.ByID(s.Context(), delivery.ID)
		s.Want(got, err, delivery)
		s.WantCode(s.WebhookDeliveries.Create(s.Context(), delivery), core.CodeConflict)
	}
	for _, text := range fixture.Unstorable() {
		wrong := s.newDelivery(webhook.ID)
		wrong.Response = text
		s.WantCode(s.WebhookDeliveries.Create(s.Context(), wrong), core.CodeValidationFailed)
	}
	s.WantCode(s.WebhookDeliveries.Create(s.Context(), s.newDelivery(core.NewID())), core.CodeNotFound)
}

func deliveryNotFound(s testCase) {
	s.delivery(s.webhook(s.Workspace().ID).ID)
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "") {
		id := core.ID(text)
		_, err := s.WebhookDeliveries.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.WebhookDeliveries.Update(s.Context(), id, func(*core.WebhookDelivery) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		all, err := s.WebhookDeliveries.List(s.Context(), id, core.Page{Limit: 10})
		s.Want(len(all), err, 0)
	}
}

func deliveryPages(s testCase) {
	workspace := s.Workspace()
	webhook, other := s.webhook(workspace.ID), s.webhook(workspace.ID)
	s.delivery(other.ID)
	base := s.Now()
	var want []core.WebhookDelivery
	for i := range core.Time(5) {
		made := s.delivery(webhook.ID, func(d *core.WebhookDelivery) { d.CreatedAt = base + i/2 })
		want = append([]core.WebhookDelivery{made}, want...)
		if len(want) > 1 && want[0].CreatedAt == want[1].CreatedAt && want[0].ID < want[1].ID {
			want[0], want[1] = want[1], want[0]
		}
	}
	var got []core.WebhookDelivery
	page := core.Page{Limit: 2}
	for {
		found, err := s.WebhookDeliveries.List(s.Context(), webhook.ID, page)
		s.Must(err)
		if got = append(got, found...); len(found) < page.Limit {
			break
		}
		last := found[len(found)-1]
		page.Before = &core.Position{CreatedAt: last.CreatedAt, ID: last.ID}
	}
	s.Want(got, nil, want)
	none, err := s.WebhookDeliveries.List(s.Context(), webhook.ID, core.Page{})
	s.Want(len(none), err, 0)
}

func deliveryDue(s testCase) {
	webhook := s.webhook(s.Workspace().ID)
	late, early := s.delivery(webhook.ID, dueAt(20)), s.delivery(webhook.ID, dueAt(10))
	s.delivery(webhook.ID, dueAt(0))
	s.wantNoDelivery(9)
	for _, want := range []core.WebhookDelivery{early, late} {
		want.DueAt, want.Attempts = 50, 1
		got, err := s.WebhookDeliveries.Claim(s.Context(), 20, 50, nil)
		s.Want(got, err, want)
	}
	s.wantNoDelivery(49)
	want := early
	if late.ID < early.ID {
		want = late
	}
	want.DueAt, want.Attempts = 60, 2
	got, err := s.WebhookDeliveries.Claim(s.Context(), 50, 60, nil)
	s.Want(got, err, want)
}

func deliveryExcept(s testCase) {
	workspace := s.Workspace()
	busy, idle := s.webhook(workspace.ID), s.webhook(workspace.ID)
	s.delivery(busy.ID, dueAt(1))
	want := s.delivery(idle.ID, dueAt(2))
	got, err := s.WebhookDeliveries.Claim(s.Context(), 5, 9, []core.ID{busy.ID, core.NewID()})
	s.Want(got.ID, err, want.ID)
	s.wantNoDelivery(5, busy.ID)
	s.wantNoDelivery(9, busy.ID, idle.ID)
}

func deliveryClaimsInParallel(s testCase) {
	const claimers, deliveries = 16, 5
	webhook := s.webhook(s.Workspace().ID)
	for range deliveries {
		s.delivery(webhook.ID, dueAt(10))
	}
	var lock sync.Mutex
	claims := map[core.ID]int{}
	fixture.Together(claimers, func(int) {
		delivery, err := s.WebhookDeliveries.Claim(s.Context(), 10, 20, nil)
		if err != nil {
			s.WantCode(err, core.CodeNotFound)
			return
		}
		lock.Lock()
		defer lock.Unlock()
		claims[delivery.ID]++
		s.Want(delivery.Attempts, nil, 1)
	})
	s.Want(len(claims), nil, deliveries)
	for id, count := range claims {
		s.Want(count, nil, 1)
		got, err := s.WebhookDeliveries.ByID(s.Context(), id)
		s.Want(got.DueAt, err, core.Time(20))
	}
}

func deliveryRolledBack(s testCase) {
	delivery := s.delivery(s.webhook(s.Workspace().ID).ID, dueAt(10))
	err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		if _, err := in.WebhookDeliveries.Claim(in.Ctx, 10, 99, nil); err != nil {
			return err
		}
		if err := in.WebhookDeliveries.Create(in.Ctx, s.newDelivery(delivery.WebhookID)); err != nil {
			return err
		}
		return fixture.ErrStop
	}))
	s.Want(err, nil, fixture.ErrStop)
	all, err := s.WebhookDeliveries.List(s.Context(), delivery.WebhookID, core.Page{Limit: 10})
	s.Want(all, err, []core.WebhookDelivery{delivery})
}

func deliveryUpdate(s testCase) {
	webhook := s.webhook(s.Workspace().ID)
	delivery := s.delivery(webhook.ID)
	want := delivery
	want.State, want.Status, want.Response, want.DueAt = core.DeliveryDelivered, 200, "ok", 0
	got, err := s.WebhookDeliveries.Update(s.Context(), delivery.ID, func(stored *core.WebhookDelivery) error {
		*stored = want
		stored.ID, stored.WebhookID, stored.CreatedAt = core.NewID(), core.NewID(), 1
		return nil
	})
	s.Want(got, err, want)
	_, err = s.WebhookDeliveries.Update(s.Context(), delivery.ID, func(d *core.WebhookDelivery) error { d.Status = 1; return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
	_, err = s.WebhookDeliveries.Update(s.Context(), delivery.ID, func(d *core.WebhookDelivery) error {
		d.Problem = core.DeliveryProblem(fixture.Unstorable()[1])
		return nil
	})
	s.WantCode(err, core.CodeValidationFailed)
	got, err = s.WebhookDeliveries.ByID(s.Context(), delivery.ID)
	s.Want(got, err, want)
}

func deliveriesOfWebhook(s testCase) {
	workspace := s.Workspace()
	doomed, kept := s.webhook(workspace.ID), s.webhook(workspace.ID)
	gone, there := s.delivery(doomed.ID), s.delivery(kept.ID)
	s.Must(s.Webhooks.Delete(s.Context(), doomed.ID))
	_, err := s.WebhookDeliveries.ByID(s.Context(), gone.ID)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.WebhookDeliveries.ByID(s.Context(), there.ID)
	s.Want(got, err, there)
}

func deliveriesPruned(s testCase) {
	webhook := s.webhook(s.Workspace().ID)
	s.delivery(webhook.ID, func(d *core.WebhookDelivery) { d.CreatedAt = 9 })
	kept := s.delivery(webhook.ID, func(d *core.WebhookDelivery) { d.CreatedAt = 10 })
	s.Must(s.WebhookDeliveries.Prune(s.Context(), 10))
	all, err := s.WebhookDeliveries.List(s.Context(), webhook.ID, core.Page{Limit: 10})
	s.Want(all, err, []core.WebhookDelivery{kept})
}

func deliveriesEnded(s testCase) {
	delivery := s.delivery(s.webhook(s.Workspace().ID).ID)
	ended := s.Ended()
	s.WantCode(s.WebhookDeliveries.Create(ended, s.newDelivery(delivery.WebhookID)), core.CodeUnavailable)
	_, err := s.WebhookDeliveries.ByID(ended, delivery.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.WebhookDeliveries.List(ended, delivery.WebhookID, core.Page{Limit: 1})
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.WebhookDeliveries.Claim(ended, 1, 2, nil)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.WebhookDeliveries.Update(ended, delivery.ID, func(*core.WebhookDelivery) error { return nil })
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.WebhookDeliveries.Prune(ended, 1), core.CodeUnavailable)
}
