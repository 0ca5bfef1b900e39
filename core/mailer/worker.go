package mailer

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/core/worker"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/storage"
)

// Bounds of the worker.
const (
	// poll is how often it looks for mails that another process stored, that are
	// due again, or that a crash left behind.
	poll = 30 * time.Second
	// sendTime bounds one attempt. lease is how long no other process tries the
	// same mail: longer, so that no two processes send it concurrently.
	sendTime = time.Minute
	lease    = 2 * time.Minute
	// settleTime bounds storing the result of an attempt.
	settleTime = 10 * time.Second
	// atOnce is how many mails a process sends at a time.
	atOnce = 4
	// firstWait is the first back-off; it doubles with every attempt up to maxWait.
	// After giveUpAfter a mail that could not be sent is dropped.
	firstWait   = 30 * time.Second
	maxWait     = 2 * time.Hour
	giveUpAfter = 24 * time.Hour
)

// Deps has the dependencies of a Worker.
type Deps struct {
	Queue  *Queue
	Store  storage.Store
	Sender mail.Sender
	Audit  *audit.Log
	// Origin is the address with which links in mails begin.
	Origin Origin
	// Tally counts attempts to send; nil counts nothing.
	Tally *telemetry.Tally
	Log   *slog.Logger
	Now   func() time.Time
}

// Worker sends the mails of the queue, a few at a time, and removes expired records
// once an hour. Several processes may each have one over the same database. It is
// started once and closed before the store.
type Worker struct {
	Deps
	resets, invites *limit

	// stopped ends the polling for mails, aborted also the sending.
	stopped, aborted context.Context
	stop, abort      context.CancelFunc
	tasks            sync.WaitGroup
}

// NewWorker returns a worker that has not started.
func NewWorker(deps Deps) *Worker {
	w := &Worker{Deps: deps, resets: newLimit(maxResets, limitWindow, deps.Now), invites: newLimit(maxInvites, limitWindow, deps.Now)}
	w.stopped, w.stop = context.WithCancel(context.Background())
	w.aborted, w.abort = context.WithCancel(context.Background())
	return w
}

// Start begins to work in the background.
func (w *Worker) Start() {
	w.tasks.Go(w.sendAll)
	w.tasks.Go(w.pruneHourly)
}

// Close waits until the current mails are sent. If ctx ends first, it aborts
// sending; the next worker of the queue retries.
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

func (w *Worker) sendAll() {
	worker.Loop{Claim: w.claim, Wake: w.Queue.wake, Poll: poll, Concurrency: atOnce}.Run(w.stopped)
}

// claim claims a mail that is due and returns the work that sends it, or nil.
func (w *Worker) claim(ctx context.Context) func() {
	now := core.At(w.Now())
	job, err := w.Store.Tables().Mails.Claim(ctx, now, now.Add(lease))
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && ctx.Err() == nil {
			w.Log.Warn("could not read the mail queue", "error", err)
		}
		return nil
	}
	return func() { w.try(job) }
}

// try sends a mail once, and settles its job.
func (w *Worker) try(job core.MailJob) {
	ctx, cancel := context.WithTimeout(w.aborted, sendTime)
	err := w.send(ctx, job)
	cancel()
	outcome := "ok"
	if err != nil {
		outcome = "error"
	}
	w.Tally.Add(telemetry.Mails, outcome, 1)
	if err := w.settle(job, err); err != nil {
		w.Log.Warn("could not store the outcome of a mail", "mail", job.ID, "error", err)
	}
}

// send writes a mail and sends it. A mail that is no longer wanted is not sent.
func (w *Worker) send(ctx context.Context, job core.MailJob) error {
	content, err := w.Queue.open(job)
	if err != nil {
		return err
	}
	message, wanted, err := w.write(ctx, job.ID, content)
	if err != nil || !wanted {
		return err
	}
	return w.Sender.Send(ctx, message)
}

// settle removes the job of a mail that was sent or never will be, and postpones
// any other, even while the worker is closing.
func (w *Worker) settle(job core.MailJob, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.aborted), settleTime)
	defer cancel()
	mails, log := w.Store.Tables().Mails, w.Log.With("mail", job.ID, "attempts", job.Attempts)
	if err == nil {
		return mails.Delete(ctx, job.ID)
	}
	due := core.At(w.Now()).Add(wait(job.Attempts))
	if core.IsCode(err, core.CodeValidationFailed) || due > job.CreatedAt.Add(giveUpAfter) {
		log.Error("gave up on a mail", "error", err)
		return mails.Delete(ctx, job.ID)
	}
	log.Warn("could not send a mail: trying again", "at", due, "error", err)
	return mails.Postpone(ctx, job.ID, due)
}

// wait is the back-off after a number of attempts.
func wait(attempts int) time.Duration {
	d := firstWait
	for range attempts - 1 {
		if d >= maxWait {
			return maxWait
		}
		d *= 2
	}
	return min(d, maxWait)
}
