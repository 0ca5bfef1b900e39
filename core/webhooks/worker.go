package webhooks

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/core/worker"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/storage"
)

// Bounds of the worker.
const (
	// poll is how often it looks for deliveries that another process stored, that are due again, or
	// that a crash left behind.
	poll = 5 * time.Second
	// lease is how long no other process tries the same delivery: longer than an attempt, so that
	// no two processes send it concurrently.
	lease = 30 * time.Second
	// settleTime bounds storing the result of an attempt.
	settleTime = 10 * time.Second
	// atOnce is how many deliveries a process sends at a time, and perWebhook how many of them to one
	// webhook, so that a slow one does not hold up others.
	atOnce     = 64
	perWebhook = 2
	// firstWait is the first back-off; it doubles with every attempt up to maxWait.
	firstWait = 5 * time.Second
	maxWait   = 3 * time.Hour
	// jitter is how much longer or shorter than that a wait may be, as a part of it.
	jitter = 0.25
	// disableAfter is how long a webhook may fail before it is disabled.
	disableAfter = 3 * 24 * time.Hour
	// retention is how long the log goes back.
	retention  = 7 * 24 * time.Hour
	pruneEvery = time.Hour
)

// Deps has the dependencies of a Worker.
type Deps struct {
	Queue  *Queue
	Store  storage.Store
	Audit  *audit.Log
	Mail   *mailer.Queue
	Sealer identity.Sealer
	Guard  netguard.Guard
	// Tally counts attempts; nil counts nothing.
	Tally *telemetry.Tally
	Log   *slog.Logger
	Now   func() time.Time
}

// Worker sends the deliveries of the queue, and prunes the log once an hour. Several processes may
// each have one over the same database. It is started once and closed before the store.
type Worker struct {
	Deps
	mu sync.Mutex
	// sending counts the deliveries that are being sent, by webhook.
	sending map[core.ID]int

	// stopped ends the polling for deliveries, aborted also the sending.
	stopped, aborted context.Context
	stop, abort      context.CancelFunc
	tasks            sync.WaitGroup
}

// NewWorker returns a worker that has not started.
func NewWorker(deps Deps) *Worker {
	w := &Worker{Deps: deps, sending: map[core.ID]int{}}
	w.stopped, w.stop = context.WithCancel(context.Background())
	w.aborted, w.abort = context.WithCancel(context.Background())
	return w
}

// Start begins to work in the background.
func (w *Worker) Start() {
	w.tasks.Go(func() {
		worker.Loop{Claim: w.claim, Wake: w.Queue.wake, Poll: poll, Concurrency: atOnce}.Run(w.stopped)
	})
	w.tasks.Go(w.pruneHourly)
}

// Close waits until the current deliveries are sent. If ctx ends first, it aborts sending; the next
// worker of the queue retries.
func (w *Worker) Close(ctx context.Context) error {
	w.stop()
	defer w.abort()
	err := ctxsync.Wait(ctx, &w.tasks)
	if err != nil {
		w.abort()
		w.tasks.Wait()
	}
	return err
}

func (w *Worker) pruneHourly() {
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for {
		if err := w.Store.Tables().WebhookDeliveries.Prune(w.stopped, core.At(w.Now()).Add(-retention)); err != nil && w.stopped.Err() == nil {
			w.Log.Warn("could not remove old deliveries of webhooks", "error", err)
		}
		select {
		case <-w.stopped.Done():
			return
		case <-ticker.C:
		}
	}
}

// claim claims a delivery that is due and returns the work that sends it, or nil.
func (w *Worker) claim(ctx context.Context) func() {
	now := core.At(w.Now())
	delivery, err := w.Store.Tables().WebhookDeliveries.Claim(ctx, now, now.Add(lease), w.busy())
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && ctx.Err() == nil {
			w.Log.Warn("could not read the queue of webhooks", "error", err)
		}
		return nil
	}
	w.count(delivery.WebhookID, 1)
	return func() {
		defer w.count(delivery.WebhookID, -1)
		w.try(delivery)
	}
}

// busy returns the webhooks to which as much is being sent as may be.
func (w *Worker) busy() []core.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []core.ID
	for webhook, sending := range w.sending {
		if sending >= perWebhook {
			found = append(found, webhook)
		}
	}
	return found
}

func (w *Worker) count(webhook core.ID, more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sending[webhook] += more; w.sending[webhook] == 0 {
		delete(w.sending, webhook)
	}
}

// try sends a delivery once and stores the result, even while the worker is closing.
func (w *Worker) try(delivery core.WebhookDelivery) {
	webhook, err := w.Store.Tables().Webhooks.ByID(w.aborted, delivery.WebhookID)
	if core.IsCode(err, core.CodeNotFound) || w.aborted.Err() != nil {
		return
	}
	done := attempt{problem: core.DeliveryDisabled}
	if err == nil && webhook.Stopped == "" {
		done = w.post(w.aborted, webhook, delivery)
		outcome := "ok"
		if done.problem != "" {
			outcome = "error"
		}
		w.Tally.Add(telemetry.Deliveries, outcome, 1)
	}
	if w.aborted.Err() != nil {
		// The service ends in the middle: the lease does, too, and the next worker tries again.
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.aborted), settleTime)
	defer cancel()
	if err == nil {
		err = w.settle(ctx, delivery, done)
	}
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		w.Log.Warn("could not store the outcome of a delivery", "delivery", delivery.ID, "error", err)
	}
}

// errOvertaken says that the lease of a delivery expired and somebody else has it.
func errOvertaken() error {
	return core.Errorf(core.CodeConflict, "another process has this delivery")
}

// settle stores an attempt: the delivery is over, or due again, and its webhook fails, recovers or is
// disabled.
func (w *Worker) settle(ctx context.Context, delivery core.WebhookDelivery, done attempt) error {
	var stopped core.WebhookStop
	now := core.At(w.Now())
	due := now.Add(max(wait(delivery.Attempts, rand.Float64()), done.notBefore))
	err := w.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		webhook, err := tables.Webhooks.ByID(ctx, delivery.WebhookID)
		if err != nil {
			return err
		}
		after := weigh(webhook, done, now)
		stopped = ""
		if webhook.Stopped == "" {
			stopped = after.Stopped
		}
		_, err = tables.WebhookDeliveries.Update(ctx, delivery.ID, func(stored *core.WebhookDelivery) error {
			if stored.DueAt != delivery.DueAt || stored.Attempts != delivery.Attempts {
				return errOvertaken()
			}
			done.record(stored, due, after.Stopped != "")
			return nil
		})
		if err != nil || after.FailingSince == webhook.FailingSince && after.Stopped == webhook.Stopped {
			return err
		}
		_, err = tables.Webhooks.Update(ctx, webhook.ID, func(stored *core.Webhook) error {
			stored.FailingSince, stored.Stopped = after.FailingSince, after.Stopped
			return nil
		})
		if err != nil || stopped == "" {
			return err
		}
		return w.announceStop(ctx, tables, after)
	})
	if err == nil && stopped != "" {
		w.Mail.Wake()
	}
	return err
}

// weigh returns a webhook after an attempt.
func weigh(webhook core.Webhook, done attempt, now core.Time) core.Webhook {
	switch {
	case webhook.Stopped != "":
	case done.problem == "":
		webhook.FailingSince = 0
	case done.status == statusGone:
		webhook.Stopped = core.WebhookStopGone
	case webhook.FailingSince == 0:
		webhook.FailingSince = now
	case now >= webhook.FailingSince.Add(disableAfter):
		webhook.Stopped = core.WebhookStopFailing
	}
	return webhook
}

// statusGone is the answer of an address that wants no more.
const statusGone = 410

// record writes an attempt into its delivery, which is due again at due unless it is over. stopped says
// that nothing more is sent to its webhook.
func (a attempt) record(delivery *core.WebhookDelivery, due core.Time, stopped bool) {
	delivery.Problem = a.problem
	if a.at != 0 {
		delivery.AttemptedAt, delivery.Millis, delivery.Status, delivery.Response = a.at, a.millis, a.status, a.body
	}
	switch {
	case a.problem == "":
		delivery.State, delivery.DueAt = core.DeliveryDelivered, 0
	case stopped || due > delivery.ExpiresAt:
		delivery.State, delivery.DueAt = core.DeliveryFailed, 0
	default:
		delivery.DueAt = due
	}
}

// announceStop writes that the service disabled a webhook to the audit log, and mails it to the admins
// of the workspace.
func (w *Worker) announceStop(ctx context.Context, tables storage.Tables, webhook core.Webhook) error {
	if err := w.Audit.Record(ctx, tables, core.Actor{}, webhook.WorkspaceID, core.AuditWebhookDisabled, targetOf(webhook)+": "+string(webhook.Stopped)); err != nil {
		return err
	}
	space, err := tables.Workspaces.ByID(ctx, webhook.WorkspaceID)
	if err != nil {
		return err
	}
	members, err := tables.Members.List(ctx, webhook.WorkspaceID)
	if err != nil {
		return err
	}
	for _, member := range members {
		if !member.Role.AtLeast(core.RuleOf(core.ActionWebhookWrite).Role) {
			continue
		}
		user, err := tables.Users.ByID(ctx, member.UserID)
		if err != nil {
			return err
		}
		if err := w.Mail.WebhookDisabled(ctx, tables, user, mailer.DisabledWebhook{WorkspaceID: space.ID, Workspace: space.Name, Name: webhook.Description, Gone: webhook.Stopped == core.WebhookStopGone}); err != nil {
			return err
		}
	}
	return nil
}

// wait is the back-off after a number of attempts. chance, from 0 to 1, spreads the attempts of
// deliveries that failed together.
func wait(attempts int, chance float64) time.Duration {
	d := firstWait
	for range attempts - 1 {
		if d *= 2; d >= maxWait {
			d = maxWait
			break
		}
	}
	return time.Duration(float64(d) * (1 - jitter + 2*jitter*chance))
}
